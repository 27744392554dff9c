/** For `preValidation`: a query string holds only text, and schemas accept only numbers. */
export const queryNumber =
  (name: string) =>
  async ({ query }: { readonly query: unknown }): Promise<void> => {
    if (typeof query !== 'object' || query === null) return;
    const value: unknown = Reflect.get(query, name);
    if (typeof value === 'string' && /^\d{1,9}$/.test(value)) Reflect.set(query, name, Number(value));
  };

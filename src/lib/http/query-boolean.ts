/** For `preValidation`: a query string holds only text, and schemas accept only booleans. */
export const queryBoolean =
  (name: string) =>
  async ({ query }: { readonly query: unknown }): Promise<void> => {
    if (typeof query !== 'object' || query === null) return;
    const value: unknown = Reflect.get(query, name);
    if (value === 'true' || value === 'false') Reflect.set(query, name, value === 'true');
  };

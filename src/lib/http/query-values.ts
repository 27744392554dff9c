/** For `preValidation`: a query string holds only text, and schemas accept only booleans and numbers. */
const reading =
  (pattern: RegExp, read: (text: string) => unknown) =>
  (name: string) =>
  async ({ query }: { readonly query: unknown }): Promise<void> => {
    if (typeof query !== 'object' || query === null) return;
    const value: unknown = Reflect.get(query, name);
    if (typeof value === 'string' && pattern.test(value)) Reflect.set(query, name, read(value));
  };

export const queryBoolean = reading(/^(?:true|false)$/, (text) => text === 'true');
export const queryNumber = reading(/^\d{1,9}$/, Number);

/** Whether a variable with one of these prefixes is set. */
export const hasSettings = (
  environment: Readonly<Record<string, string | undefined>>,
  ...prefixes: readonly string[]
): boolean =>
  Object.entries(environment).some(
    ([name, value]) => prefixes.some((prefix) => name.startsWith(prefix)) && value !== undefined && value.trim() !== '',
  );

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as an error message shows it: JSON of at most 80 characters. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = (JSON.stringify(value) as string | undefined) ?? typeof value;
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

import { sha256Hex } from '../auth/api-key-token.ts';

/** The order of an object's fields does not change the fingerprint. */
export const requestFingerprint = (method: string, path: string, body: unknown): string =>
  sha256Hex(`${method}\n${path}\n${canonicalJson(body)}`);

/** Only for bodies that passed a schema, which limits their depth. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
  return `{${fields.join(',')}}`;
}

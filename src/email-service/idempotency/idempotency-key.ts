import { sha256Hex } from '../auth/api-key-token.ts';
import { ProblemError } from '../../lib/http/problem.ts';

const LENGTH_MAX = 255;
const BARE = /^[!-~]+$/;
/** RFC 8941 section 3.3.3: a string in quotes, with quotes and backslashes escaped. */
const QUOTED = /^"(?:[ !#-[\]-~]|\\["\\])*"$/;

/** `key` and `"key"` are the same key. Undefined without the header. Throws `idempotency_key_malformed`. */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const text = String(header);
  const key = text.startsWith('"') && QUOTED.test(text) ? text.slice(1, -1).replace(/\\(["\\])/g, '$1') : text;
  const opensOnly = text.startsWith('"') && !QUOTED.test(text);
  if (opensOnly || key.length > LENGTH_MAX || !BARE.test(key)) {
    throw new ProblemError(
      'idempotency_key_malformed',
      `Idempotency-Key must be 1 to ${LENGTH_MAX} visible ASCII characters without spaces, bare or in double quotes, in a single header; found ${text.length} characters in another form.`,
    );
  }
  return key;
}

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

import { ProblemError } from './problem.ts';

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

import { trimFoldingWhitespace } from './folding-whitespace.ts';

/**
 * `tag=value; tag=value;` of DKIM keys and DMARC policies, RFC 6376 section 3.2. Tag names keep their case, whitespace
 * around names and values is dropped, a final `;` is allowed; a hyphen in a name too, as verifiers do not mind it. Undefined: not such a list, or a tag stands there twice.
 */
export function parseTagList(text: string): ReadonlyMap<string, string> | undefined {
  const tags = new Map<string, string>();
  const specs = trimFoldingWhitespace(text)
    .replace(/;[ \t\r\n]*$/, '')
    .split(';');
  for (const spec of specs) {
    const parts = /^[ \t\r\n]*([A-Za-z][A-Za-z0-9_-]*)[ \t\r\n]*=([^;]*)$/s.exec(spec);
    const name = parts?.[1];
    if (name === undefined || tags.has(name)) return undefined;
    tags.set(name, trimFoldingWhitespace(parts?.[2] ?? ''));
  }
  return tags;
}

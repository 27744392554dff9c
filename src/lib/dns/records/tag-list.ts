import { trimFoldingWhitespace } from './folding-whitespace.ts';

/**
 * Parses `tag=value; tag=value;` of DKIM keys, RFC 6376 section 3.2: tag names keep their case, whitespace around names and values
 * is dropped. As verifiers do, it accepts a hyphen in a name. Undefined for any other text, and for one with a repeated tag.
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

/**
 * `tag=value; tag=value;` of DKIM keys and DMARC policies, RFC 6376 section 3.2. Tag names keep their case, whitespace
 * around names and values is dropped, a final `;` is allowed. Undefined: not such a list, or a tag stands there twice.
 */
export function parseTagList(text: string): ReadonlyMap<string, string> | undefined {
  const tags = new Map<string, string>();
  const specs = text.trim().replace(/;\s*$/, '').split(';');
  for (const spec of specs) {
    const parts = /^\s*([A-Za-z][A-Za-z0-9_]*)\s*=([^;]*)$/s.exec(spec);
    const name = parts?.[1];
    if (name === undefined || tags.has(name)) return undefined;
    tags.set(name, (parts?.[2] ?? '').trim());
  }
  return tags;
}

/**
 * Seconds that the header Prefer asks to wait (RFC 7240 section 4.3). Undefined when it does not ask, or not in a way
 * that can be understood: such a preference is as good as none (section 2).
 */
export function preferredWaitSeconds(header: string | string[] | undefined): number | undefined {
  const preferences = preferencesIn([header ?? []].flat().join(','));
  // The first of several counts (section 2).
  const asked = preferences.find((preference) => /^\s*wait\s*(?:[=;]|$)/i.test(preference));
  const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i.exec(asked ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** Each preference on its own; a comma inside a quoted string separates nothing. */
function preferencesIn(header: string): string[] {
  const preferences: string[] = [];
  let start = 0;
  let inQuotes = false;
  for (let at = 0; at < header.length; at += 1) {
    const character = header[at];
    if (inQuotes && character === '\\') {
      at += 1;
    } else if (character === '"') {
      inQuotes = !inQuotes;
    } else if (character === ',' && !inQuotes) {
      preferences.push(header.slice(start, at));
      start = at + 1;
    }
  }
  return [...preferences, header.slice(start)];
}

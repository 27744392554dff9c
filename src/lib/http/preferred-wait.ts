/** Seconds that a Prefer header asks to wait (RFC 7240 section 4.3), at most `secondsMax`; undefined if it is absent or malformed. */
export function preferredWaitSeconds(header: string | string[] | undefined, secondsMax: number): number | undefined {
  const preferences = preferencesIn([header ?? []].flat().join(','));
  // The first of several preferences applies (section 2).
  const asked = preferences.find((preference) => /^\s*wait\s*(?:[=;]|$)/i.test(preference));
  const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i.exec(asked ?? '') ?? [];
  return seconds === undefined ? undefined : Math.min(Number(seconds), secondsMax);
}

/** Splits at the commas outside quoted strings. */
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

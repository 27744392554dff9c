/** Each preference on its own; a comma inside a quoted string separates nothing. */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g;

/**
 * Seconds that the header Prefer asks to wait (RFC 7240 section 4.3). Undefined when it does not ask, or not in a way
 * that can be understood: such a preference is as good as none (section 2).
 */
export function preferredWaitSeconds(header: string | string[] | undefined): number | undefined {
  const preferences = [header ?? []].flat().join(',').match(PREFERENCE) ?? [];
  // The first of several counts (section 2).
  const asked = preferences.find((preference) => /^\s*wait\s*(?:[=;]|$)/i.test(preference));
  const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i.exec(asked ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** BIND 9.18 and Unbound 1.17 follow eleven aliases and answer SERVFAIL for twelve. */
export const ALIASES_MAX = 11;

/** Why a chain of aliases has no end, RFC 1034 section 3.6.2: it leads back to a name on it, or is longer than resolvers follow. */
export type AliasFault = 'loop' | 'tooLong';

/** @param passed the names on the way, the one whose alias leads to the target last */
export function aliasFault(passed: readonly string[], target: string): AliasFault | undefined {
  if (passed.includes(target)) return 'loop';
  return passed.length > ALIASES_MAX ? 'tooLong' : undefined;
}

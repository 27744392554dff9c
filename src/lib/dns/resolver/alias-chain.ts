import { fitsInDns } from '../names/domain-name.ts';
import type { NoData } from './answer.ts';

/** BIND 9.18 and Unbound 1.17 follow eleven aliases and answer SERVFAIL for twelve. */
export const ALIASES_MAX = 11;

/**
 * The answer for an alias that cannot be followed: its chain has no end, or its target cannot be in DNS. Only the tenant can
 * correct either, so it counts as no record, not as a failing server. Undefined when the alias can be followed.
 *
 * @param passed the names on the way, ending with the alias's own
 */
export function deadEnd(
  { server, target }: { readonly server: string; readonly target: string },
  passed: readonly string[],
): NoData | undefined {
  const answer: NoData = { kind: 'noData', server, authoritative: true, aliases: [target] };
  if (passed.includes(target)) return { ...answer, aliasFault: 'loop' };
  if (passed.length > ALIASES_MAX) return { ...answer, aliasFault: 'tooLong' };
  return fitsInDns(target) ? undefined : answer;
}

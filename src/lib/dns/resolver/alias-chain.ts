import { fitsInDns } from '../names/domain-name.ts';
import type { DnsAnswer, NoData } from './answer.ts';
import type { Alias } from './read-response.ts';

/** BIND 9.18 and Unbound 1.17 follow eleven aliases and answer SERVFAIL for twelve. */
export const ALIASES_MAX = 11;

/**
 * The answer for an alias that cannot be followed: its chain has no end, or its target cannot be in DNS. Only the tenant can
 * correct either, so it counts as no record, not as a failing server. Undefined when the alias can be followed.
 *
 * @param passed the names on the way, ending with the alias's own
 */
export function deadEnd(alias: Alias, passed: readonly string[]): NoData | undefined {
  const { server, target } = alias;
  const answer: NoData = { kind: 'noData', server, authoritative: true, aliases: [target], ...sourceOf(alias) };
  if (passed.includes(target)) return { ...answer, aliasFault: 'loop' };
  if (passed.length > ALIASES_MAX) return { ...answer, aliasFault: 'tooLong' };
  return fitsInDns(target) ? undefined : answer;
}

/** An answer about the target, as one about the alias: RFC 1034 section 3.6.2 gives an alias the records of its target. */
export const throughAlias = (alias: Alias, answer: DnsAnswer): DnsAnswer =>
  answer.kind === 'serverFailure'
    ? answer
    : { ...answer, aliases: [alias.target, ...answer.aliases], ...sourceOf(alias) };

const sourceOf = ({ redirectedAt }: Alias): Pick<Alias, 'redirectedAt'> =>
  redirectedAt === undefined ? {} : { redirectedAt };

import { isSpf, parseSpf, positionOfNeeded } from './spf-record.ts';
import type { SpfTerm } from './spf-record.ts';

/** RFC 7208 section 4.6.4: with one more, receivers report a permanent error. */
export const SPF_LOOKUPS_MAX = 10;

export interface SpfLookups {
  /** Terms that make a receiver ask DNS; counting ends soon after the limit. */
  readonly count: number;
  /** Included names whose records are not known yet: what they hold is not in the count. */
  readonly unread: readonly string[];
}

/**
 * What a receiver looks up until it has come to the end of the expected mechanisms. Terms behind them are never read for
 * mail of ours. Nothing is counted when only the expected record's own terms ask DNS: those are the sender's care.
 *
 * @param included the SPF record at each name that was asked, empty where there is none
 */
export function countSpfLookups(
  expected: string,
  published: string,
  included: ReadonlyMap<string, string>,
): SpfLookups {
  const terms = parseSpf(published)?.filter((term) => term.kind === 'mechanism') ?? [];
  const read = terms.slice(0, positionOfNeeded(expected, published) + 1);
  const own = new Set(parseSpf(expected)?.map(textOf));
  const unread = new Set<string>();
  let count = 0;

  const follow = (term: SpfTerm): void => {
    if (count > SPF_LOOKUPS_MAX || !asksDns(term)) return;
    count += 1;
    // What a macro stands for is known only when a mail comes.
    if ((term.name !== 'include' && term.name !== 'redirect') || term.value.includes('%')) return;
    const there = included.get(term.value);
    if (there === undefined) unread.add(term.value);
    else termsThatCount(there).forEach(follow);
  };
  if (read.some((term) => asksDns(term) && !own.has(textOf(term)))) read.forEach(follow);
  return { count, unread: [...unread] };
}

/** Nobody reads behind `all`, and beside it a redirect is ignored: RFC 7208 sections 5.1 and 6.1. */
function termsThatCount(value: string): readonly SpfTerm[] {
  const terms = isSpf(value) ? (parseSpf(value) ?? []) : [];
  const all = terms.findIndex((term) => term.name === 'all');
  const mechanisms = (all === -1 ? terms : terms.slice(0, all)).filter((term) => term.kind === 'mechanism');
  const redirect = all === -1 ? terms.filter((term) => term.name === 'redirect') : [];
  return [...mechanisms, ...redirect];
}

function asksDns(term: SpfTerm): boolean {
  return ['include', 'a', 'mx', 'ptr', 'exists', 'redirect'].includes(term.name);
}

function textOf(term: SpfTerm): string {
  return `${term.name}:${term.value}`;
}

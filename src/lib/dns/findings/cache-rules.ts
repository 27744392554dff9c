import { judgeValues } from '../records/compare-record.ts';
import type { FindingRule } from './finding-rule.ts';
import type { FindingCode } from './finding.ts';

/** What recursive resolvers return for a record that is right on the zone's own servers. */
export const cacheRules = {
  negative_cached: {
    entersNothing: true,
    check: ({ caches }) =>
      caches.flatMap((answer) => {
        if (answer.kind !== 'denied') return [];
        const action = waitFor(answer.secondsLeft);
        return [{ severity: 'warning' as const, server: answer.server, found: [], action }];
      }),
    problem: ({ server }) => `resolver ${server ?? ''} still remembers that the record did not exist`,
  },
  stale_cached: {
    entersNothing: true,
    check: ({ caches, expected, judged }) =>
      caches.flatMap((answer) => {
        if (answer.kind !== 'found' || judgeValues(expected, answer.values) === 'found') return [];
        if (judged.some(({ values }) => areSame(values, answer.values))) return [];
        // A stranger could point an alias at a name inside the resolver's network to read what is there.
        const found = answer.isBehindAlias === true ? [] : answer.values;
        const action = waitFor(answer.secondsLeft);
        return [{ severity: 'warning' as const, server: answer.server, found, action }];
      }),
    problem: ({ server }) => `resolver ${server ?? ''} still remembers an earlier value`,
  },
  dnssec_bogus: {
    entersNothing: true,
    check: ({ caches, zone }) =>
      caches
        .filter((answer) => answer.kind === 'bogus')
        .map(({ server }) => ({
          server,
          found: [],
          action: `Replace the DS records of ${zone} at its registrar with those of the keys that sign the zone now. If the zone is not signed, delete them.`,
        })),
    problem: 'validating resolvers reject the record, because the DNSSEC signatures of the zone are not valid',
  },
} satisfies Partial<Record<FindingCode, FindingRule>>;

function areSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((value) => right.includes(value));
}

function waitFor(seconds: number | undefined): string {
  const time = seconds === undefined ? 'later' : `in ${String(seconds)} ${seconds === 1 ? 'second' : 'seconds'}`;
  return `Nothing to change: the record is right. The resolver asks again ${time}.`;
}

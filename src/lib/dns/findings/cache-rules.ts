import { judgeValues } from '../records/compare-record.ts';
import type { FindingRule } from './finding-rule.ts';
import { FindingCode } from './finding.ts';

/** What recursive resolvers make of a record that is right on the zone's own servers. */
export const cacheRules = {
  [FindingCode.negativeCached]: {
    entersNothing: true,
    look: ({ caches, host }) =>
      caches.flatMap((answer) => {
        if (answer.kind !== 'denied') return [];
        const until =
          answer.secondsLeft === undefined ? 'for a time it does not tell' : `for ${seconds(answer.secondsLeft)}`;
        const fix = `Nothing to change: the record with host ${host} is right, but resolver ${answer.server} remembers ${until} that there was none.`;
        return [{ severity: 'warning' as const, server: answer.server, found: [], fix }];
      }),
    inWords: () => 'a resolver still remembers that there was no record',
  },
  [FindingCode.staleCached]: {
    entersNothing: true,
    look: ({ caches, host, expected, judged }) =>
      caches.flatMap((answer) => {
        if (answer.kind !== 'found' || judgeValues(expected, answer.values) === 'found') return [];
        // A stranger could lead the resolver to a name inside its network, and read here what is there.
        const found = answer.isBehindAlias === true ? [] : answer.values;
        if (judged.some(({ values }) => areSame(values, answer.values))) return [];
        const fix = `Nothing to change: the record with host ${host} is right, but resolver ${answer.server} remembers what was there before for ${seconds(answer.secondsLeft)}.`;
        return [{ severity: 'warning' as const, server: answer.server, found, fix }];
      }),
    inWords: () => 'a resolver still remembers another value',
  },
  [FindingCode.dnssecBogus]: {
    entersNothing: true,
    look: ({ caches, zone }) =>
      caches
        .filter((answer) => answer.kind === 'bogus')
        .map(({ server }) => ({
          server,
          found: [],
          fix: `Validating resolvers refuse the record, which is right otherwise: replace the DS records of ${zone} at its registrar with those of the keys that sign it now, or delete them while it is not signed`,
        })),
    inWords: () => 'the DNSSEC signatures do not fit (bogus)',
  },
} satisfies Partial<Record<FindingCode, FindingRule>>;

function areSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((value) => right.includes(value));
}

function seconds(count: number): string {
  return `another ${String(count)} ${count === 1 ? 'second' : 'seconds'}`;
}

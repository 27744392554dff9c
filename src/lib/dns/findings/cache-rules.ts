import type { Disagreement } from '../records/resolver-answers.ts';
import { deleteAndAdd, replaceValue, type FindingRules } from './finding-rule.ts';
import { isElsewhere } from '../names/form-place.ts';

/** What recursive resolvers return for a record that is right on the zone's own servers. */
export const cacheRules = {
  negative_cached: {
    entersNothing: true,
    check: ({ disagreements }) =>
      disagreements.flatMap((answer) =>
        answer.mayBeRemembered && answer.kind === 'denied' ? [waitFor(answer, [])] : [],
      ),
    problem: ({ server }) => `resolver ${server} still remembers that the record did not exist`,
  },
  stale_cached: {
    entersNothing: true,
    check: ({ disagreements }) =>
      disagreements.flatMap((answer) =>
        answer.mayBeRemembered && answer.kind === 'found' ? [waitFor(answer, shownValues(answer))] : [],
      ),
    problem: ({ server }) => `resolver ${server} still remembers an earlier value`,
  },
  resolver_disagrees: {
    entersNothing: true,
    check: ({ disagreements, zone, host, expected }) =>
      disagreements
        .filter(({ mayBeRemembered }) => !mayBeRemembered)
        .map((answer) => ({
          server: answer.server,
          found: shownValues(answer),
          action: `It asked after the name servers of ${zone} had the record, so it reaches other servers or other copies of the zone. If this lasts, ask the operator of the name servers whether each of them has the record in every place. At host ${host} they must return the value ${expected.value}`,
        })),
    problem: ({ server, found }) => `resolver ${server} finds ${found.length > 0 ? 'another value' : 'no such record'}`,
  },
  not_resolved: {
    entersNothing: true,
    check: ({ caches, zone }) =>
      caches.flatMap((answer) => {
        if (answer.kind !== 'failed') return [];
        const { server, name } = answer;
        const action = `Receivers ask through such resolvers. Nothing to change in the record. If this lasts, ask the operator of the name servers of ${name ?? zone} whether each of them answers quickly, to questions with EDNS (RFC 6891), and with valid DNSSEC signatures if the zone is signed`;
        return [{ server, ...(name !== undefined && { name }), found: [], action }];
      }),
    problem: ({ server }) => `the name servers have the record, but resolver ${server} gets no answer for it`,
  },
  dnssec_bogus: {
    entersNothing: true,
    check: (facts) =>
      facts.caches.flatMap((answer) => {
        if (answer.kind !== 'bogus' || isElsewhere(answer.zone, facts.domain)) return [];
        const { server, zone } = answer;
        const action = `Replace the DS records of ${zone} at its registrar with those of the keys that sign the zone now. If the zone is not signed, delete them. If they are right already, the operator of the name servers must sign the zone again, because its signatures have expired or do not match.`;
        return [{ server, name: zone, found: [], action }];
      }),
    problem: 'validating resolvers reject the record, because the DNSSEC signatures of the zone are not valid',
  },
  dnssec_bogus_alias: {
    check: (facts) =>
      facts.caches.flatMap((answer) => {
        if (answer.kind !== 'bogus' || !isElsewhere(answer.zone, facts.domain)) return [];
        const { server, zone } = answer;
        const instead = answer.name === undefined ? deleteAndAdd(facts, 'CNAME record') : replaceValue(facts);
        const action = `Nothing is wrong with the DS records of ${facts.zone}. Contact the operator of ${zone}. Or do without it: ${instead}`;
        return [{ server, name: zone, found: [], action }];
      }),
    problem: ({ name }) =>
      `validating resolvers reject the record, because it leads to ${name}, whose DNSSEC signatures are not valid`,
  },
} satisfies FindingRules;

/** A stranger could point an alias at a name inside the resolver's network to read what is there. */
const shownValues = (answer: Disagreement): readonly string[] =>
  answer.kind === 'denied' || answer.isBehindAlias === true ? [] : answer.values;

function waitFor({ server, secondsLeft: seconds }: Disagreement, found: readonly string[]) {
  const time = seconds === undefined ? 'later' : `in ${String(seconds)} ${seconds === 1 ? 'second' : 'seconds'}`;
  const action = `Nothing to change: the record is right. The resolver asks again ${time}.`;
  return { severity: 'warning' as const, server, found, action };
}

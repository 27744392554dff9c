import type { FailureReason, ServerFailure } from '../resolver/answer.ts';
import { compareDkimKey, looksLikeDkimKey } from '../records/dkim-key.ts';
import type { FindingCode } from './finding.ts';
import type { FindingRule } from './finding-rule.ts';
import type { RecordFacts } from './record-facts.ts';

/** What is wrong with the zone's servers rather than with the record. */
export const serverRules = {
  ns_inconsistent: {
    entersNothing: true,
    check: (facts) => {
      const verdicts = new Set(facts.judged.map((answer) => answer.verdict));
      verdicts.delete('unknown');
      if (verdicts.size < 2) return [];
      const reference = verdicts.has('found') ? 'found' : 'wrong';
      return facts.judged
        .filter((answer) => answer.verdict !== reference && answer.verdict !== 'unknown' && !isStaleKey(facts, answer))
        .map(({ server, values }) => ({ server, found: values, action: waitForCopy(facts) }));
    },
    problem: ({ server }) => `name server ${server ?? ''} differs from the other name servers of the zone`,
  },
  key_stale: {
    check: (facts) =>
      facts.judged
        .filter((answer) => isStaleKey(facts, answer))
        .map(({ server, values }) => ({ server, found: values, action: waitForCopy(facts) })),
    problem: ({ server }) =>
      `name server ${server ?? ''} still has another key than the other name servers of the zone`,
  },
  ns_not_delegated: {
    entersNothing: true,
    check: ({ undelegated: name }) =>
      name === undefined ? [] : [{ name, found: [], action: `Enter the name servers of ${name} at its registrar.` }],
    problem: ({ name }) => `the registry lists no name servers for ${name ?? ''}`,
  },
  ns_lame: failureRule(
    ({ reason, isResolver }) => isResolver !== true && isLame(reason),
    ({ server, found }) => `name server ${server ?? ''} does not serve the zone (${inWords(found)})`,
    (zone, server) =>
      `Remove ${server} from the name servers of ${zone} at the registrar, or configure the zone on this server.`,
  ),
  ns_private_address: {
    ...failureRule(
      ({ reason }) => reason === 'privateAddress',
      ({ server }) => `name server ${server ?? ''} has a private address, which is not reachable from the internet`,
      (zone) => `Give it a public address, or remove it from the name servers of ${zone} at the registrar.`,
    ),
    entersNothing: false,
  },
  server_failure: failureRule(
    ({ reason, isResolver }) => isResolver !== true && !isLame(reason) && reason !== 'privateAddress',
    ({ server, found }) => `name server ${server ?? ''} gave no usable answer (${inWords(found)})`,
    () => 'Nothing to change in the record. If this lasts, contact the operator of the name server.',
  ),
  resolver_failure: failureRule(
    ({ isResolver }) => isResolver === true,
    ({ server, found }) =>
      `recursive resolver ${server ?? ''} did not return the name servers of the zone (${inWords(found)})`,
    () =>
      'Nothing to change in the record. If this lasts, the operator of sendoff must check this resolver or set DNS_RESOLVERS to another one.',
  ),
} satisfies Partial<Record<FindingCode, FindingRule>>;

function waitForCopy({ zone, host, expected }: RecordFacts): string {
  return `Wait until it has copied zone ${zone} or contact its operator. At host ${host} each name server must return the value ${expected.value}`;
}

/** A whole key that is not the expected one, on one server of several. */
function isStaleKey({ expected, judged }: RecordFacts, answer: RecordFacts['judged'][number]): boolean {
  if (expected.purpose !== 'dkim' || answer.verdict !== 'wrong' || answer.aliases.length > 0) return false;
  const [only, ...others] = answer.values.filter(looksLikeDkimKey);
  return (
    only !== undefined &&
    others.length === 0 &&
    compareDkimKey(expected.value, only) === 'different' &&
    judged.some(({ verdict }) => verdict === 'found')
  );
}

const reasons: ReadonlyMap<string, string> = new Map<FailureReason, string>([
  ['servfail', 'SERVFAIL'],
  ['refused', 'REFUSED'],
  ['lame', 'not authoritative'],
  ['malformed', 'unreadable answer'],
  ['noAddress', 'no address found'],
  ['limit', 'limit of queries or time reached'],
]);

const inWords = (found: readonly string[]): string => found.map((reason) => reasons.get(reason) ?? reason).join(', ');

function isLame(reason: FailureReason): boolean {
  return reason === 'lame' || reason === 'refused';
}

/** A failing server is an error only where no other server made a statement. */
function failureRule(
  isMeant: (failure: ServerFailure) => boolean,
  problem: FindingRule['problem'],
  action: (zone: string, server: string) => string,
): FindingRule {
  return {
    entersNothing: true,
    check: ({ failures, status, zone }) => {
      const distinct = new Map(failures.filter(isMeant).map((one) => [`${one.server} ${one.reason}`, one]));
      return [...distinct.values()].map(({ server, reason }) => ({
        ...(status !== 'inconclusive' && { severity: 'warning' as const }),
        server,
        found: reason === 'privateAddress' ? [] : [reason],
        action: action(zone, server),
      }));
    },
    problem,
  };
}

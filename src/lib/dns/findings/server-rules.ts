import type { DelegationMismatch, FailureReason, ServerFailure } from '../resolver/answer.ts';
import { kindOf } from '../expected-record.ts';
import { isElsewhere, registeredDomainOf } from '../names/form-place.ts';
import type { JudgedAnswer } from '../records/judge-answers.ts';
import { compareDkimKey, looksLikeDkimKey } from '../records/dkim-key.ts';
import type { FindingRule, FindingRules } from './finding-rule.ts';
import { hostOf } from '../resolver/zone-servers.ts';
import type { RecordFacts } from './record-facts.ts';

/** What is wrong with the zone's servers rather than with the record. */
export const serverRules = {
  delegation_mismatch: {
    entersNothing: true,
    check: (facts) =>
      facts.mismatches.flatMap((mismatch) => {
        const { zone: name, byZone } = mismatch;
        const sides = sidesOf(facts, mismatch);
        const isError = facts.status !== 'found' && (sides.differ || !mismatch.answered);
        // Equal answers of servers that mostly are the same say nothing new about a record that is not there.
        if (!isError && facts.status !== 'found' && !sides.areDisjoint) return [];
        const severity = isError ? {} : { severity: 'warning' as const };
        return [{ ...severity, name, found: byZone, action: alignServers(facts, mismatch, sides) }];
      }),
    problem: ({ name, found }) =>
      `the delegation of ${name} names other servers than the zone itself, which names ${found.join(', ')}`,
  },
  ns_inconsistent: {
    entersNothing: true,
    check: (facts) => {
      const verdicts = new Set(facts.judged.map((answer) => answer.verdict));
      verdicts.delete('unknown');
      if (verdicts.size < 2) return [];
      const reference = verdicts.has('found') ? 'found' : 'wrong';
      return facts.judged
        .filter((answer) => answer.verdict !== reference && answer.verdict !== 'unknown' && !isStaleKey(facts, answer))
        .filter((answer) => !isExplained(facts, answer))
        .map(({ server, values }) => ({ server, found: values, action: waitForCopy(facts) }));
    },
    problem: ({ server }) => `name server ${server} differs from the other name servers of the zone`,
  },
  answers_vary: {
    entersNothing: true,
    check: (facts) =>
      facts.judged
        .filter((answer) => answer.verdict !== 'found' && varies(facts, answer))
        .map(({ server, values }) => ({
          server,
          found: values,
          action: `Make sure that there is only one such record, on each machine behind this name server, or contact its operator. At host ${facts.host} it must always return the value ${facts.expected.value}`,
        })),
    problem: ({ server }) => `name server ${server} does not give the same answer each time`,
  },
  key_stale: {
    check: (facts) =>
      facts.judged
        .filter((answer) => isStaleKey(facts, answer) && !isExplained(facts, answer))
        .map(({ server, values }) => ({ server, found: values, action: waitForCopy(facts) })),
    problem: ({ server }) => `name server ${server} still has another key than the other name servers of the zone`,
  },
  ns_not_delegated: {
    entersNothing: true,
    check: ({ undelegated: name }) =>
      name === undefined ? [] : [{ name, found: [], action: `Enter the name servers of ${name} at its registrar.` }],
    problem: ({ name }) => `the registry lists no name servers for ${name}`,
  },
  ns_lame: failureRule(
    ({ reason, isResolver }, isOfOther) => isResolver !== true && isLame(reason) && !isOfOther,
    ({ server, found }) => `name server ${server} is named for the zone but does not serve it (${inWords(found)})`,
    ({ zone, place, server }) =>
      `Add zone ${zone} at the DNS provider that operates this server. If another one has the zone, replace ${hostOf(server)} ${place} with a name server of that provider.`,
  ),
  ns_alias: failureRule(
    ({ reason }) => reason === 'alias',
    ({ server }) => `the name server ${server} is an alias (CNAME), and many resolvers do not follow it`,
    ({ zone, place, server }) =>
      `Among the name servers of ${zone}, ${place} and in the zone, replace ${server} with a host that has an address of its own.`,
  ),
  ns_without_authority: {
    entersNothing: true,
    check: ({ withoutAuthority, zone }) =>
      [...new Set(withoutAuthority)].map((server) => ({
        severity: 'warning' as const,
        server,
        found: [],
        action: `Resolvers accept this. Nothing to change in the record. Ask the operator of the name server to make it authoritative for ${zone}`,
      })),
    problem: ({ server }) => `name server ${server} answers without authority (AA)`,
  },
  ns_private_address: {
    ...failureRule(
      ({ reason }) => reason === 'privateAddress',
      ({ server }) => `name server ${server} has a private address, which is not reachable from the internet`,
      ({ zone, place }) => `Give it a public address, or remove it from the name servers of ${zone} ${place}.`,
    ),
    entersNothing: false,
  },
  server_failure: failureRule(
    ({ reason, isResolver }, isOfOther) =>
      isResolver !== true && (isOfOther || !isLame(reason)) && !['privateAddress', 'alias'].includes(reason),
    ({ server, found }) => `name server ${server} gave no usable answer (${inWords(found)})`,
    ({ zone, place, server, reason }) =>
      reason === 'noAddress'
        ? `If this lasts, remove ${server} from the name servers of ${zone} ${place}, or give it an address.`
        : 'Nothing to change in the record. If this lasts, contact the operator of the name server.',
  ),
  resolver_failure: failureRule(
    ({ isResolver }) => isResolver === true,
    ({ server, found }) =>
      `recursive resolver ${server} did not return the name servers of the zone (${inWords(found)})`,
    () =>
      'Nothing to change in the record. If this lasts, the operator of sendoff must check this resolver or set DNS_RESOLVERS to another one.',
  ),
} satisfies FindingRules;

interface Sides {
  /** They answer differently. */
  readonly differ: boolean;
  readonly areDisjoint: boolean;
  /** The one whose servers have the record, if the other's do not. */
  readonly right: 'parent' | 'zone' | undefined;
}

function sidesOf({ judged }: RecordFacts, { byParent, byZone }: DelegationMismatch): Sides {
  const verdicts = (hosts: readonly string[]) => new Set(judged.filter(isOneOf(hosts)).map(({ verdict }) => verdict));
  const [ofParent, ofZone] = [verdicts(byParent), verdicts(byZone)];
  const isFound = (seen: Set<string>): boolean => seen.has('found') && seen.size === 1;
  return {
    differ: new Set([...ofParent, ...ofZone]).size > 1,
    areDisjoint: !byZone.some((host) => byParent.includes(host)),
    right: isFound(ofParent) === isFound(ofZone) ? undefined : isFound(ofParent) ? 'parent' : 'zone',
  };
}

/** `ns1.example.net (192.0.2.1)` is the answer of `ns1.example.net`, and of that host with this address. */
const isOneOf =
  (hosts: readonly string[]) =>
  ({ server }: JudgedAnswer): boolean =>
    hosts.includes(server) || hosts.includes(hostOf(server));

function alignServers({ domain }: RecordFacts, mismatch: DelegationMismatch, { right }: Sides): string {
  const { zone, byParent, byZone } = mismatch;
  const place = isRegistered(zone) ? `at the registrar of ${zone}` : `in the zone above ${zone}`;
  if (isElsewhere(zone, domain))
    return `Resolvers ask both. Nothing to change in your zone. Contact the operator of ${zone}`;
  if (right === 'zone')
    return `Resolvers ask both. To keep the servers that have the record, enter ${place} the name servers ${byZone.join(', ')}`;
  const hosts = (servers: readonly string[]): string => [...new Set(servers.map(hostOf))].sort().join(' ');
  const records = hosts(byParent) === hosts(byZone) ? 'addresses of these name servers' : 'NS records';
  if (right === 'parent' || !mismatch.answered)
    return `Resolvers ask both. To keep the servers of the delegation, change the ${records} in the zone ${zone} itself to ${byParent.join(', ')}`;
  return `Resolvers ask both. Enter the same name servers ${place} and in the NS records of the zone itself. The delegation now names ${byParent.join(', ')}`;
}

/** The difference has a cause with a finding of its own. */
const isExplained = (facts: RecordFacts, answer: JudgedAnswer): boolean =>
  varies(facts, answer) ||
  facts.mismatches.some(({ byParent, byZone }) =>
    isOneOf([...byParent, ...byZone].filter((host) => !byParent.includes(host) || !byZone.includes(host)))(answer),
  );

/** One server gave answers with different verdicts. */
const varies = ({ judged }: RecordFacts, { server, verdict }: JudgedAnswer): boolean =>
  judged.some((other) => other.server === server && other.verdict !== verdict);

function waitForCopy({ zone, host, expected }: RecordFacts): string {
  return `Wait until it has copied zone ${zone} or contact its operator. At host ${host} each name server must return the value ${expected.value}`;
}

/** A whole key that is not the expected one, on one server of several. */
function isStaleKey({ expected, judged }: RecordFacts, answer: RecordFacts['judged'][number]): boolean {
  if (kindOf(expected) !== 'dkim' || answer.verdict !== 'wrong' || answer.aliases.length > 0) return false;
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

interface FailingServer {
  readonly server: string;
  readonly reason: FailureReason;
  readonly zone: string;
  /** Where the delegation of the zone is entered. */
  readonly place: string;
}

/** A failing server is an error only where no other server made a statement. */
function failureRule(
  isMeant: (failure: ServerFailure, isOfOther: boolean) => boolean,
  problem: FindingRule['problem'],
  action: (failing: FailingServer) => string,
): FindingRule {
  return {
    entersNothing: true,
    check: (facts) => {
      // A zone above the domain is asked for the domain's own.
      const isOfOther = ({ zone = facts.zone }: ServerFailure): boolean =>
        isElsewhere(zone, facts.domain) && !facts.domain.endsWith(`.${zone}`);
      const meant = facts.failures.filter((one) => isMeant(one, isOfOther(one)));
      return [...new Map(meant.map((one) => [`${one.server} ${one.reason}`, one])).values()].map((failure) => {
        const { server, reason, zone = facts.zone } = failure;
        const place = isRegistered(zone) ? 'at the registrar' : 'in the zone above it';
        return {
          ...(facts.status !== 'inconclusive' && { severity: 'warning' as const }),
          ...(isOfOther(failure) && { name: zone }),
          server,
          found: reason === 'privateAddress' || reason === 'alias' ? [] : [reason],
          action: isOfOther(failure)
            ? `${leadingTo(facts, failure)} ${zone}, which another owner operates. Nothing is wrong with your own name servers. If this lasts, contact the operator of ${zone}`
            : action({ server, reason, zone, place }),
        };
      });
    },
    problem,
  };
}

function leadingTo({ spf, host }: RecordFacts, failure: ServerFailure): string {
  const isTerm = spf?.kind === 'unanswered' && spf.failures.includes(failure);
  return isTerm ? `The SPF record at host ${host} refers to` : `The CNAME record at host ${host} leads to`;
}

const isRegistered = (zone: string): boolean => zone === registeredDomainOf(zone);

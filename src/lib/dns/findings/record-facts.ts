import type { DnsAnswer, DnsQuestion, ServerFailure, ZoneAnswers } from '../resolver/answer.ts';
import type { CollectedRecord } from '../collect/collected-record.ts';
import { targetOf } from '../records/compare-record.ts';
import { parentOf } from '../names/domain-name.ts';
import { kindOf, type ExpectedRecord } from '../expected-record.ts';
import { formPlace, isTenantZone, registeredDomainOf } from '../names/form-place.ts';
import { inheritedPolicy, intendedPolicy, stricterOf } from '../records/dmarc-policy.ts';
import {
  enteredAnswers,
  judgeAnswers,
  organizationPolicy,
  statusOf,
  textsBeside,
  valuesOf,
} from '../records/judge-answers.ts';
import { disagreements } from '../records/resolver-answers.ts';
import { hostOf } from '../resolver/zone-servers.ts';
import { explainKey } from '../records/wrapped-key.ts';

export interface PlaceWithValues extends DnsQuestion {
  readonly values: readonly string[];
}

interface AboutDomain {
  readonly domain: string;
  /** Whether any record of the check shows that the domain is registered. */
  readonly isKnown: boolean;
  readonly expected: readonly ExpectedRecord[];
}

/** Everything that the rules of the findings check, derived once from the answers. */
export type RecordFacts = ReturnType<typeof recordFacts>;

export function recordFacts({ domain, isKnown, expected: all }: AboutDomain, record: CollectedRecord) {
  const { at, delegation, organization } = record;
  const expected = withIntendedPolicy(record);
  const judged = judgeAnswers(record);
  const published = statusOf(judged);
  const spf = judged.find((answer) => answer.spf !== undefined && answer.verdict !== 'found')?.spf;
  const wrongValues = judged.find((answer) => answer.verdict === 'wrong' && answer.aliases.length === 0)?.values ?? [];
  const [only, ...others] = wrongValues;
  const caches = published === 'found' || published === 'inconclusive' ? (record.caches ?? []) : [];
  const differing = disagreements({ ...record, caches });
  const isRejected =
    caches.some((answer) => answer.kind === 'bogus') || differing.some(({ mayBeRemembered }) => !mayBeRemembered);
  const undelegated = delegation?.answers.some((answer) => answer.kind === 'noData') ? delegation.name : undefined;
  const aliased = judged.find((answer) => answer.aliases.length > 0);
  const places = (all: readonly ZoneAnswers[] = []): readonly PlaceWithValues[] =>
    all.map(({ name, type, answers }) => ({ name, type, values: valuesOf(enteredAnswers(answers, record.wildcard)) }));
  return {
    domain,
    expected,
    /** The place in the zone that holds the name; in the registered domain where no name server reported a zone. */
    ...formPlace(expected.name, at.zone, expected.zone),
    status: isRejected ? 'wrong' : published,
    judged,
    failures: [
      ...at.answers.filter((answer) => answer.kind === 'serverFailure'),
      ...(spf?.kind === 'unanswered' ? spf.failures : []),
      ...(organization?.answers.filter((answer) => answer.kind === 'serverFailure') ?? []),
    ],
    /** Differences in the delegation of the zone, and of those that its aliases lead to. */
    mismatches: at.mismatches ?? [],
    /** The servers of the zone whose answers lack the AA bit. */
    withoutAuthority: isTenantZone(at.zone)
      ? at.answers.flatMap((answer) => (answer.kind === 'serverFailure' || answer.authoritative ? [] : [answer.server]))
      : [],
    /** The values of the first server whose record is wrong, which the rules about values explain. */
    wrongValues,
    /** The values of the first server whose record is right. */
    foundValues: judged.find(({ verdict }) => verdict === 'found')?.values ?? [],
    /** Why verifiers do not accept the only one of the wrong values, where a key is expected. */
    key:
      kindOf(expected) === 'dkim' && only !== undefined && others.length === 0
        ? explainKey(expected.value, only)
        : undefined,
    /** The CNAME targets from the name on, when they do not lead to the expected record. */
    aliasInTheWay: aliased?.aliases ?? [],
    /** The owner of the DNAME record that makes the first of them. */
    redirectedAt: at.answers.find(
      (answer): answer is Exclude<DnsAnswer, ServerFailure> =>
        answer.kind !== 'serverFailure' && answer.redirectedAt !== undefined,
    )?.redirectedAt,
    /** Why their chain has no end; undefined when it has one. */
    aliasFault: aliased?.aliasFault,
    /** The registry denies the name, and no other record of the check shows that the domain exists. */
    unregistered:
      !isKnown &&
      undelegated === undefined &&
      at.answers.some((answer) => answer.kind === 'nxDomain') &&
      !isTenantZone(at.zone),
    /** The registered domain, when the registry lists it without name servers. */
    undelegated,
    doubled: places(record.doubled),
    onParent: places(record.onParent),
    otherTypes: places(record.otherTypes),
    misspelt: places(record.misspelt),
    otherSelectors: places(record.otherSelectors),
    domainItself: places(record.domainItself),
    /** Records of other types at the name of a CNAME record, which must be alone. */
    besideAlias: besideAlias(record, places(record.otherTypes)),
    /** Where a CNAME record that is right leads to, if receivers find nothing there. */
    emptyTarget: emptyTarget(record),
    /** The DMARC policy of the organizational domain, which applies where the domain has no record. */
    organization: places(organization && [organization]).map((place) => ({
      ...place,
      policy: organization ? organizationPolicy(organization) : 'none',
    }))[0],
    /** `_domainkey.<domain>`, when it has names below it but not the expected one. */
    otherKeysBelow: otherKeysBelow(record),
    /** The name servers of a zone that is delegated below the registered domain; empty for other zones. */
    delegatedTo: delegatedTo(at),
    /** The other records that the domain needs. */
    siblings: all.filter((other) => other !== record.expected),
    /** Why the SPF record does not allow the sender, on the first server where it does not. */
    spf,
    /** The answers of resolvers for a record that is right on the zone's own servers. */
    caches,
    /** Those of them that differ from the zone's own servers. */
    disagreements: differing,
  };
}

/** A tenant chooses the policy: where a valid one is damaged or misplaced, or is at a domain above, the fix keeps it. */
function withIntendedPolicy({ expected, at, organization, ...record }: CollectedRecord): ExpectedRecord {
  if (kindOf(expected) !== 'dmarc') return expected;
  const places = [...(record.doubled ?? []), ...(record.misspelt ?? []), ...(record.domainItself ?? [])];
  const own = [
    ...valuesOf(at.answers),
    ...places.flatMap(({ answers }) => valuesOf(enteredAnswers(answers, record.wildcard))),
  ]
    .map(intendedPolicy)
    .find((policy) => policy !== undefined);
  const value = [...(organization ? [organization] : []), ...(record.policiesAbove ?? [])]
    .flatMap(({ answers }) => valuesOf(answers).map(inheritedPolicy))
    .reduce(stricterOf, own);
  return value === undefined ? expected : { ...expected, value };
}

function besideAlias(record: CollectedRecord, otherTypes: readonly PlaceWithValues[]): readonly PlaceWithValues[] {
  const { expected } = record;
  if (kindOf(expected) !== 'alias') return [];
  const texts: PlaceWithValues = { name: expected.name, type: 'TXT', values: valuesOf(textsBeside(record)) };
  return [...otherTypes, texts].filter(({ values }) => values.length > 0);
}

/** A key must be a text; what else a target has is the sending service's business. */
function emptyTarget({ expected, leadsTo }: CollectedRecord): string | undefined {
  const spoken = (leadsTo?.answers ?? []).filter((answer) => answer.kind !== 'serverFailure');
  const isEmpty = ({ kind }: DnsAnswer): boolean =>
    kind === 'nxDomain' || (kind === 'noData' && expected.purpose === 'dkim');
  return spoken.length > 0 && spoken.every(isEmpty) ? targetOf(expected.value) : undefined;
}

/** RFC 8020: a name that exists without records has names below it. A wildcard would answer for the expected name as well. */
function otherKeysBelow({ at, otherSelectors = [] }: CollectedRecord): string | undefined {
  const all = (answers: ZoneAnswers, kind: 'noData' | 'nxDomain'): boolean =>
    answers.answers.every((answer) => answer.kind === kind && answer.aliases.length === 0);
  if (!all(at, 'nxDomain')) return undefined;
  return otherSelectors.find((answers) => answers.name === parentOf(at.name) && all(answers, 'noData'))?.name;
}

function delegatedTo({ zone, answers }: ZoneAnswers): readonly string[] {
  if (!isTenantZone(zone) || zone === registeredDomainOf(zone)) return [];
  return [...new Set(answers.map(({ server }) => hostOf(server)))];
}

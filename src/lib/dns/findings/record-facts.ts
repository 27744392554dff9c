import type { AliasFault, DelegationMismatch, DnsAnswer, ServerFailure, ZoneAnswers } from '../resolver/answer.ts';
import type { CachedAnswer } from '../resolver/ask-caches.ts';
import type { CollectedRecord } from '../collect/collected-record.ts';
import { targetOf } from '../records/compare-record.ts';
import { parentOf } from '../names/domain-name.ts';
import { kindOf, type ExpectedRecord, type RecordStatus } from '../expected-record.ts';
import { formPlace, isTenantZone, registeredDomainOf } from '../names/form-place.ts';
import { inheritedPolicy, intendedPolicy, stricterOf } from '../records/dmarc-policy.ts';
import {
  enteredAnswers,
  judgeAnswers,
  organizationPolicy,
  statusOf,
  textsBeside,
  valuesOf,
  type JudgedAnswer,
} from '../records/judge-answers.ts';
import type { SpfJudgement } from '../spf/judge-spf.ts';
import { disagreements, type Disagreement } from '../records/resolver-answers.ts';
import { hostOf } from '../resolver/zone-servers.ts';
import { explainKey, type KeyExplanation } from '../records/wrapped-key.ts';

/** Everything that the rules of the findings check, derived once from the answers. */
export interface RecordFacts {
  readonly domain: string;
  readonly expected: ExpectedRecord;
  /** The zone that holds the name; the registered domain where no name server reported one. */
  readonly zone: string;
  readonly zoneFound: boolean;
  /** The name relative to `zone`. */
  readonly host: string;
  readonly status: RecordStatus;
  readonly judged: readonly JudgedAnswer[];
  readonly failures: readonly ServerFailure[];
  /** Differences in the delegation of the zone, and of those that its aliases lead to. */
  readonly mismatches: readonly DelegationMismatch[];
  /** The servers of the zone whose answers lack the AA bit. */
  readonly withoutAuthority: readonly string[];
  /** The values of the first server whose record is wrong, which the rules about values explain. */
  readonly wrongValues: readonly string[];
  /** The values of the first server whose record is right. */
  readonly foundValues: readonly string[];
  /** Why verifiers do not accept the only one of them, where a key is expected. */
  readonly key: KeyExplanation | undefined;
  /** The CNAME targets from the name on, when they do not lead to the expected record. */
  readonly aliasInTheWay: readonly string[];
  /** The owner of the DNAME record that makes the first of them. */
  readonly redirectedAt: string | undefined;
  /** Why their chain has no end; undefined when it has one. */
  readonly aliasFault: AliasFault | undefined;
  /** The registry denies the name, and no other record of the check shows that the domain exists. */
  readonly unregistered: boolean;
  /** The registered domain, when the registry lists it without name servers. */
  readonly undelegated: string | undefined;
  readonly doubled: readonly Place[];
  readonly onParent: readonly Place[];
  readonly otherTypes: readonly Place[];
  readonly misspelt: readonly Place[];
  /** Records of other types at the name of a CNAME record, which must be alone. */
  readonly besideAlias: readonly Place[];
  /** Where a CNAME record that is right leads to, if receivers find nothing there. */
  readonly emptyTarget: string | undefined;
  /** The DMARC policy of the organizational domain, which applies where the domain has no record. */
  readonly organization: (Place & { readonly policy: ReturnType<typeof organizationPolicy> }) | undefined;
  readonly otherSelectors: readonly Place[];
  readonly domainItself: readonly Place[];
  /** `_domainkey.<domain>`, when it has names below it but not the expected one. */
  readonly otherKeysBelow: string | undefined;
  /** The name servers of a zone that is delegated below the registered domain; empty for other zones. */
  readonly delegatedTo: readonly string[];
  /** The other records that the domain needs. */
  readonly siblings: readonly ExpectedRecord[];
  /** Why the SPF record does not allow the sender, on the first server where it does not. */
  readonly spf: SpfJudgement | undefined;
  /** What resolvers return for a record that is right on the zone's own servers. */
  readonly caches: readonly CachedAnswer[];
  /** Those of them that differ from the zone's own servers. */
  readonly disagreements: readonly Disagreement[];
}

interface Place {
  readonly name: string;
  readonly type: ZoneAnswers['type'];
  readonly values: readonly string[];
}

interface AboutDomain {
  readonly domain: string;
  /** Whether any record of the check shows that the domain is registered. */
  readonly isKnown: boolean;
  readonly expected: readonly ExpectedRecord[];
}

export function recordFacts({ domain, isKnown, expected: all }: AboutDomain, record: CollectedRecord): RecordFacts {
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
  const places = (all: readonly ZoneAnswers[] = []): readonly Place[] =>
    all.map(({ name, type, answers }) => ({ name, type, values: valuesOf(enteredAnswers(answers, record.wildcard)) }));
  return {
    domain,
    expected,
    ...formPlace(expected.name, at.zone, expected.zone),
    status: isRejected ? 'wrong' : published,
    judged,
    failures: [
      ...at.answers.filter((answer) => answer.kind === 'serverFailure'),
      ...(spf?.kind === 'unanswered' ? spf.failures : []),
      ...(organization?.answers.filter((answer) => answer.kind === 'serverFailure') ?? []),
    ],
    mismatches: at.mismatches ?? [],
    withoutAuthority: isTenantZone(at.zone)
      ? at.answers.flatMap((answer) => (answer.kind === 'serverFailure' || answer.authoritative ? [] : [answer.server]))
      : [],
    wrongValues,
    foundValues: judged.find(({ verdict }) => verdict === 'found')?.values ?? [],
    key:
      kindOf(expected) === 'dkim' && only !== undefined && others.length === 0
        ? explainKey(expected.value, only)
        : undefined,
    aliasInTheWay: judged.find((answer) => answer.aliases.length > 0)?.aliases ?? [],
    redirectedAt: at.answers.find(
      (answer): answer is Exclude<DnsAnswer, ServerFailure> =>
        answer.kind !== 'serverFailure' && answer.redirectedAt !== undefined,
    )?.redirectedAt,
    aliasFault: judged.find((answer) => answer.aliases.length > 0)?.aliasFault,
    unregistered:
      !isKnown &&
      undelegated === undefined &&
      at.answers.some((answer) => answer.kind === 'nxDomain') &&
      !isTenantZone(at.zone),
    undelegated,
    doubled: places(record.doubled),
    onParent: places(record.onParent),
    otherTypes: places(record.otherTypes),
    misspelt: places(record.misspelt),
    besideAlias: besideAlias(record, places(record.otherTypes)),
    emptyTarget: emptyTarget(record),
    organization: places(organization && [organization]).map((place) => ({
      ...place,
      policy: organization ? organizationPolicy(organization) : 'none',
    }))[0],
    otherSelectors: places(record.otherSelectors),
    domainItself: places(record.domainItself),
    otherKeysBelow: otherKeysBelow(record),
    delegatedTo: delegatedTo(at),
    siblings: all.filter((other) => other !== record.expected),
    spf,
    caches,
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

function besideAlias(record: CollectedRecord, otherTypes: readonly Place[]): readonly Place[] {
  const { expected } = record;
  if (kindOf(expected) !== 'alias') return [];
  const texts: Place = { name: expected.name, type: 'TXT', values: valuesOf(textsBeside(record)) };
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

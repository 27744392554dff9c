import type { AliasFault } from './alias-chain.ts';
import type { ServerFailure, ZoneAnswers } from './answer.ts';
import type { CachedAnswer } from './cached-answer.ts';
import type { CollectedRecord, RecordStatus } from './domain-look.ts';
import type { ExpectedRecord } from './expected-record.ts';
import { formPlace, isTenantZone } from './form-place.ts';
import { enteredAnswers, judgeAnswers, statusOf, valuesOf } from './judged-answer.ts';
import type { JudgedAnswer } from './judged-answer.ts';
import type { SpfJudgement } from './judge-spf.ts';

/** What the rules of the diagnosis look at. */
export interface RecordFacts {
  readonly domain: string;
  readonly expected: ExpectedRecord;
  /** The zone that holds the name; the registered domain where no name server told. */
  readonly zone: string;
  readonly zoneFound: boolean;
  /** The name relative to `zone`. */
  readonly host: string;
  readonly status: RecordStatus;
  readonly judged: readonly JudgedAnswer[];
  readonly failures: readonly ServerFailure[];
  /** The values of one server that does not have the record right: what the rules about values explain. */
  readonly wrongValues: readonly string[];
  /** CNAME targets on the way from the name, when they do not lead to the expected record. */
  readonly aliasInTheWay: readonly string[];
  /** Why these lead nowhere, when their chain has no end. */
  readonly aliasFault: AliasFault | undefined;
  /** The top-level domain itself says that the name does not exist, and no record of the look shows the domain. */
  readonly unregistered: boolean;
  /** The name below the top-level domain that exists there without name servers. */
  readonly undelegated: string | undefined;
  readonly doubled: Place | undefined;
  readonly onParent: Place | undefined;
  readonly otherType: Place | undefined;
  readonly otherSelectors: readonly Place[];
  readonly domainItself: readonly Place[];
  /** Why the SPF record does not authorise the sender, on the first server where it does not. */
  readonly spf: SpfJudgement | undefined;
  /** What resolvers remember of a record that is right on the zone's own servers. */
  readonly caches: readonly CachedAnswer[];
}

interface Place {
  readonly name: string;
  readonly type: ZoneAnswers['type'];
  readonly values: readonly string[];
}

/** @param domainIsKnown whether any record of the look shows that the domain is registered */
export function recordFacts(domain: string, record: CollectedRecord, domainIsKnown: boolean): RecordFacts {
  const { expected, at, delegation } = record;
  const judged = judgeAnswers(record);
  const published = statusOf(judged);
  const spf = judged.find((answer) => answer.spf !== undefined && answer.verdict !== 'found')?.spf;
  const caches = published === 'found' ? (record.caches ?? []) : [];
  const isBogus = caches.some((answer) => answer.kind === 'bogus');
  const undelegated = delegation?.answers.some((answer) => answer.kind === 'noData') ? delegation.name : undefined;
  const place = (answers: ZoneAnswers | undefined): Place | undefined => answers && placeOf(answers, record.wildcard);
  return {
    domain,
    expected,
    ...formPlace(expected.name, at.zone, expected.zone),
    status: isBogus ? 'wrong' : published,
    judged,
    failures: [
      ...at.answers.filter((answer) => answer.kind === 'serverFailure'),
      ...(spf?.kind === 'unanswered' ? spf.failures : []),
    ],
    wrongValues: judged.find((answer) => answer.verdict === 'wrong' && answer.aliases.length === 0)?.values ?? [],
    aliasInTheWay: judged.find((answer) => answer.aliases.length > 0)?.aliases ?? [],
    aliasFault: judged.find((answer) => answer.aliases.length > 0)?.aliasFault,
    unregistered:
      !domainIsKnown &&
      undelegated === undefined &&
      at.answers.some((answer) => answer.kind === 'nxDomain') &&
      !isTenantZone(at.zone),
    undelegated,
    doubled: place(record.doubled),
    onParent: place(record.onParent),
    otherType: place(record.otherType),
    otherSelectors: record.otherSelectors?.map((answers) => placeOf(answers, record.wildcard)) ?? [],
    domainItself: record.domainItself?.map((answers) => placeOf(answers, record.wildcard)) ?? [],
    spf,
    caches,
  };
}

/** What was entered there: neither what a wildcard gives nor what is found behind an alias. */
function placeOf(at: ZoneAnswers, wildcard: ZoneAnswers | undefined): Place {
  return { name: at.name, type: at.type, values: valuesOf(enteredAnswers(at.answers, wildcard)) };
}

import type { DnsAnswer, ServerFailure, ZoneAnswers } from './answer.ts';
import { judgeValues } from './compare-record.ts';
import type { Verdict } from './compare-record.ts';
import type { CollectedRecord, RecordStatus } from './domain-look.ts';
import { hostWithin } from './domain-name.ts';
import type { ExpectedRecord } from './expected-record.ts';

interface JudgedAnswer {
  readonly server: string;
  readonly verdict: Verdict;
  readonly values: readonly string[];
}

/** What the rules of the diagnosis look at. */
export interface RecordFacts {
  readonly domain: string;
  readonly expected: ExpectedRecord;
  /** The zone that holds the name; the domain where no zone below a top-level domain does. */
  readonly zone: string;
  /** The name relative to `zone`. */
  readonly host: string;
  readonly status: RecordStatus;
  readonly judged: readonly JudgedAnswer[];
  readonly failures: readonly ServerFailure[];
  /** The values of one server that does not have the record right: what the rules about values explain. */
  readonly wrongValues: readonly string[];
  /** CNAME targets at the name, when they lead to no record of the type. */
  readonly deadAlias: readonly string[];
  /** The top-level domain itself says that the name does not exist, and no record of the look shows the domain. */
  readonly unregistered: boolean;
  readonly doubled: Place | undefined;
  readonly onParent: Place | undefined;
  readonly otherType: Place | undefined;
}

interface Place {
  readonly name: string;
  readonly type: ZoneAnswers['type'];
  readonly values: readonly string[];
}

/** @param domainIsKnown whether any record of the look shows that the domain is registered */
export function recordFacts(domain: string, record: CollectedRecord, domainIsKnown: boolean): RecordFacts {
  const { expected, at } = record;
  const judged = at.answers.flatMap((answer) => judge(expected, answer));
  const zone = at.zone?.includes('.') === true ? at.zone : domain;
  const deadAlias = at.answers.find((answer) => isDenial(answer) && answer.aliases.length > 0);
  return {
    domain,
    expected,
    zone,
    host: hostWithin(expected.name, zone),
    status: statusOf(judged),
    judged,
    failures: at.answers.filter((answer) => answer.kind === 'serverFailure'),
    wrongValues: judged.find((answer) => answer.verdict === 'wrong')?.values ?? [],
    deadAlias: deadAlias !== undefined && isDenial(deadAlias) ? deadAlias.aliases : [],
    unregistered:
      !domainIsKnown && at.answers.some((answer) => answer.kind === 'nxDomain') && at.zone?.includes('.') !== true,
    doubled: placeOf(record.doubled),
    onParent: placeOf(record.onParent),
    otherType: placeOf(record.otherType),
  };
}

/** Every value that any server gave, once. */
export function valuesOf(answers: readonly DnsAnswer[]): readonly string[] {
  return [...new Set(answers.flatMap((answer) => (answer.kind === 'found' ? answer.values : [])))].sort();
}

function isDenial(answer: DnsAnswer): answer is Extract<DnsAnswer, { kind: 'noData' | 'nxDomain' }> {
  return answer.kind === 'noData' || answer.kind === 'nxDomain';
}

function judge(expected: ExpectedRecord, answer: DnsAnswer): JudgedAnswer[] {
  switch (answer.kind) {
    case 'serverFailure':
      return [];
    case 'found':
      return [{ server: answer.server, verdict: judgeValues(expected, answer.values), values: answer.values }];
    case 'noData':
    case 'nxDomain':
      return [{ server: answer.server, verdict: answer.aliases.length > 0 ? 'wrong' : 'missing', values: [] }];
  }
}

/**
 * All servers that make a statement must agree that the record is there. One that makes none is passed over, as
 * receivers do; and when one says that the record is not there, no other can change that it is not there everywhere.
 */
function statusOf(judged: readonly JudgedAnswer[]): RecordStatus {
  if (judged.length === 0) return 'inconclusive';
  if (judged.every((answer) => answer.verdict === 'found')) return 'found';
  return judged.some((answer) => answer.verdict === 'wrong') ? 'wrong' : 'missing';
}

function placeOf(answers: ZoneAnswers | undefined): Place | undefined {
  if (answers === undefined) return undefined;
  return { name: answers.name, type: answers.type, values: valuesOf(answers.answers) };
}

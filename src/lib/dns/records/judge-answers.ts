import type { AliasFault, DnsAnswer, Found, ZoneAnswers } from '../resolver/answer.ts';
import { judgeValues, type ValuesVerdict } from './compare-record.ts';
import { kindOf, type RecordStatus } from '../expected-record.ts';
import type { CollectedRecord } from '../collect/collected-record.ts';
import { judgeSpf, type SpfJudgement } from '../spf/judge-spf.ts';
import { policyAmong } from './dmarc-policy.ts';
import { isSpf } from '../spf/spf-record.ts';

export interface JudgedAnswer {
  readonly server: string;
  /** `unknown`: an SPF record that refers to names whose servers do not answer, or servers and resolvers that do not. */
  readonly verdict: ValuesVerdict | 'unknown';
  readonly values: readonly string[];
  /** The CNAME targets from the name on, when they do not lead to the expected record. */
  readonly aliases: readonly string[];
  readonly aliasFault?: AliasFault;
  /** The judgement of the only SPF record at the name. */
  readonly spf?: SpfJudgement;
}

/** The verdict on each answer; failing servers are left out, and a wildcard's answer counts as missing. */
export function judgeAnswers(record: CollectedRecord): readonly JudgedAnswer[] {
  const { at, wildcard } = record;
  const judged = at.answers.flatMap((answer): JudgedAnswer[] => {
    if (answer.kind === 'serverFailure') return [];
    const { server } = answer;
    const values = answer.kind === 'found' ? answer.values : [];
    const { verdict, ...spf } = isAlone(record, server) ? verdictOn(record, values) : { verdict: 'wrong' as const };
    const aliases = aliasesOf(answer);
    if ((verdict === 'found' || verdict === 'unknown') && !hasConflict(answer)) {
      return [{ server, verdict, values, aliases: [], ...spf }];
    }
    if (isOfWildcard(answer, wildcard)) return [{ server, verdict: 'missing', values: [], aliases: [] }];
    const fault = answer.kind === 'found' || answer.aliasFault === undefined ? {} : { aliasFault: answer.aliasFault };
    return [{ server, verdict: aliases.length > 0 ? 'wrong' : verdict, values, aliases, ...fault, ...spf }];
  });
  return judged.length === 0 ? [] : [...judged, ...silentServers(record).map(withoutAnswer)];
}

/** The servers that the zone names, which resolvers remember, if none of these answers; resolvers that find no answer. */
const silentServers = ({ at, caches = [] }: CollectedRecord): readonly string[] => [
  ...(at.mismatches ?? []).filter(({ answered }) => !answered).map(({ byZone }) => byZone.join(', ')),
  ...caches.filter(({ kind }) => kind === 'failed').map(({ server }) => server),
];

const withoutAnswer = (server: string): JudgedAnswer => ({ server, verdict: 'unknown', values: [], aliases: [] });

/** RFC 1034 section 3.6.2: a CNAME record is the only one at its name. A server that has others returns them instead. */
const isAlone = (record: CollectedRecord, server: string): boolean =>
  !textsBeside(record).some((answer) => answer.server === server);

/** The answers of servers that return texts of the name itself, instead of those of its target. */
export const textsBeside = ({ leadsTo }: Pick<CollectedRecord, 'leadsTo'>): readonly DnsAnswer[] =>
  (leadsTo?.answers ?? []).filter((answer) => answer.kind === 'found' && answer.aliases.length === 0);

/** An SPF record is evaluated as receivers do, because it may allow the sender through other names. */
function verdictOn(record: CollectedRecord, values: readonly string[]): Pick<JudgedAnswer, 'verdict' | 'spf'> {
  const { expected, spfAnswers = [] } = record;
  const kind = kindOf(expected);
  if (kind === 'dmarc' && policyAmong(values) === 'none' && record.organization !== undefined) {
    const policy = organizationPolicy(record.organization);
    if (policy === 'valid') return { verdict: 'found' };
    if (policy === 'unknown') return { verdict: 'unknown' };
  }
  const [published, ...others] = kind === 'spf' ? values.filter(isSpf) : [];
  if (published === undefined || others.length > 0) return { verdict: judgeValues(expected, values) };
  const spf = judgeSpf({ domain: expected.name, expected: expected.value, published, answers: spfAnswers });
  if (spf.kind === 'authorized') return { verdict: 'found', spf };
  return { verdict: spf.kind === 'fault' ? 'wrong' : 'unknown', spf };
}

/** The policy of the organizational domain; valid only if each of its answering servers has a valid one. */
export function organizationPolicy({ answers }: ZoneAnswers): ReturnType<typeof policyAmong> | 'unknown' {
  const answered = answers.filter((answer) => answer.kind !== 'serverFailure');
  const policies = answered.map((answer) => policyAmong(answer.kind === 'found' ? answer.values : []));
  if (policies.length === 0) return 'unknown';
  return (['invalid', 'none'] as const).find((policy) => policies.includes(policy)) ?? 'valid';
}

/** The record is found when all answering servers have it. Failing servers are skipped, as receivers skip them. */
export function statusOf(judged: readonly JudgedAnswer[]): RecordStatus {
  if (judged.length === 0) return 'inconclusive';
  if (judged.every((answer) => answer.verdict === 'found')) return 'found';
  const worst = (['wrong', 'missing'] as const).find((one) => judged.some(({ verdict }) => verdict === one));
  return worst ?? 'inconclusive';
}

/** The distinct values of all servers, sorted. */
export function valuesOf(answers: readonly DnsAnswer[]): readonly string[] {
  return [...new Set(answers.flatMap((answer) => (answer.kind === 'found' ? answer.values : [])))].sort();
}

/** The answers with values that were entered at the name itself, not through a wildcard or an alias. */
export function enteredAnswers(answers: readonly DnsAnswer[], wildcard: ZoneAnswers | undefined): readonly DnsAnswer[] {
  return answers.filter((answer) => aliasesOf(answer).length === 0 && !isOfWildcard(answer, wildcard));
}

function aliasesOf(answer: DnsAnswer): readonly string[] {
  if (answer.kind === 'serverFailure') return [];
  if (hasConflict(answer)) return [answer.conflictingAlias];
  // The answer to a question for the CNAME record itself.
  const isRedirected = answer.kind === 'found' && answer.redirectedAt !== undefined && answer.aliases.length === 0;
  return isRedirected ? answer.values : answer.aliases;
}

function hasConflict(answer: DnsAnswer): answer is Found & { readonly conflictingAlias: string } {
  return answer.kind === 'found' && answer.conflictingAlias !== undefined;
}

/** Whether an unused name beside it gets the same answer. */
function isOfWildcard(answer: DnsAnswer, wildcard: ZoneAnswers | undefined): boolean {
  const content = contentOf(answer);
  return content !== '' && wildcard?.answers.some((other) => contentOf(other) === content) === true;
}

/** What an answer says; empty for a denial and a failure. */
export function contentOf(answer: DnsAnswer): string {
  if (answer.kind === 'serverFailure') return '';
  const values = answer.kind === 'found' ? [...answer.values].sort() : [];
  return [...aliasesOf(answer), ...values].join('\n');
}

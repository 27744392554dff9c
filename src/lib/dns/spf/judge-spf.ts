// Does the published SPF record let receivers pass every address that the expected record allows?
// Pure: it returns the lookups that it still needs. mailauth is not used, because it accepts `ip4:192.0.2.1 ip4:1.2.3`.
import {
  questionKey,
  type DnsAnswer,
  type DnsQuestion,
  type ServerFailure,
  type ZoneAnswers,
} from '../resolver/answer.ts';
import { evaluateSpf, type KnownDns, type SpfError, type SpfEvaluation, type SpfQuestion } from './evaluate-spf.ts';
import { covers, halvesOf, isSingle, type Network } from './spf-network.ts';
import { compareSpf, parseSpf, type SpfTerm } from './spf-record.ts';
import { listSpfSenders } from './spf-senders.ts';

export type SpfFault = SpfError | 'afterAll' | 'overruled' | 'missing';

export type SpfJudgement =
  | { readonly kind: 'authorized' }
  /** @property name the domain whose record is the cause */
  | { readonly kind: 'fault'; readonly fault: SpfFault; readonly name: string }
  /** The expected record itself allows no address, which only the sending service can correct. */
  | { readonly kind: 'senderFault'; readonly name: string }
  | { readonly kind: 'unanswered'; readonly failures: readonly ServerFailure[] }
  /** The questions that must be asked before the record can be judged. */
  | { readonly kind: 'unread'; readonly questions: readonly DnsQuestion[] };

export interface SpfCase {
  /** The domain of the envelope sender, which has the record. */
  readonly domain: string;
  readonly expected: string;
  readonly published: string;
  /** All answers so far. */
  readonly answers: readonly ZoneAnswers[];
}

/** A large provider's record lists a few dozen. */
const SENDERS_MAX = 256;
/** How often networks are split in halves where a term matches only a part of them. */
const DIVISIONS_MAX = 256;
/** A hundred times what large records need; strangers' records can need a thousand times more. */
const TERMS_READ_MAX = 100_000;
/** Enough for six questions with two different answers each. */
const CHOICES_MAX = 64;

/** Judges the record with the answers so far; call it again with more answers while it returns `unread`. */
export function judgeSpf(spf: SpfCase): SpfJudgement {
  const known = indexAnswers(spf.answers);
  const reader = new SpfReader();
  return worstOf(choicesAmong(known), (choice) =>
    judgeVariant(spf, reader, (asked) => {
      const question = questionKey(asked);
      return known.get(question)?.[choice.get(question) ?? 0];
    }),
  );
}

/** Evaluations read the same few records for each address and each combination of answers. */
class SpfReader {
  private readonly known = new Map<string, readonly SpfTerm[] | undefined>();
  private termsRead = 0;

  get isSpent(): boolean {
    return this.termsRead > TERMS_READ_MAX;
  }

  readonly read = (record: string): readonly SpfTerm[] | undefined => {
    if (!this.known.has(record)) this.known.set(record, parseSpf(record));
    const terms = this.known.get(record);
    this.termsRead += terms?.length ?? 0;
    return terms;
  };
}

/** The index of the chosen answer by question; 0 for a question that is absent. */
type Choice = ReadonlyMap<string, number>;

/**
 * Where the servers of a zone differ, a receiver may get any of their answers: every combination is judged. If there are too
 * many, each answer is combined with the first ones of all other questions, and with those at the same index.
 */
function choicesAmong(known: ReadonlyMap<string, readonly KnownAnswer[]>): readonly Choice[] {
  const differing = [...known].filter(([, answers]) => answers.length > 1);
  if (differing.reduce((product, [, answers]) => product * answers.length, 1) <= CHOICES_MAX) {
    return differing.reduce<readonly Choice[]>(
      (choices, [question, answers]) =>
        choices.flatMap((choice) => answers.map((_, at) => new Map([...choice, [question, at]]))),
      [new Map()],
    );
  }
  const alone = differing.flatMap(([question, answers]) => answers.map((_, at) => new Map([[question, at]])));
  const places = Array.from({ length: Math.max(...differing.map(([, answers]) => answers.length)) }, (_, at) => at);
  const together = places.map(
    (at) => new Map(differing.map(([question, answers]) => [question, at < answers.length ? at : 0])),
  );
  return [...alone, ...together];
}

function judgeVariant(spf: SpfCase, reader: SpfReader, known: KnownDns): SpfJudgement {
  const { domain, expected, published } = spf;
  // An expected record that breaks the rules can only be compared as text.
  if (reader.read(expected) === undefined) return byText(spf);
  if (reader.read(published) === undefined) return { kind: 'fault', fault: 'syntax', name: domain };
  const senders = sendersOf(spf, reader, known);
  if ('kind' in senders) return senders;
  if (senders.length === 0) return byText(spf);
  return worstOf(senders, (client) =>
    worstOf(evaluateWhole({ domain, record: published, client, known, read: reader.read }, reader), (evaluation) =>
      judgementOf(evaluation, spf),
    ),
  );
}

/** The addresses that the expected record allows; empty where they depend on the message. */
function sendersOf(
  { domain, expected }: SpfCase,
  { read }: SpfReader,
  known: KnownDns,
): readonly Network[] | SpfJudgement {
  const { networks, unread, failures, dependsOnMail } = listSpfSenders(expected, domain, known, read);
  if (unread.length > 0) return { kind: 'unread', questions: unread };
  if (failures.length > 0) return { kind: 'unanswered', failures };
  const senders: Network[] = [];
  for (const client of networks.slice(0, SENDERS_MAX)) {
    if (senders.some((other) => covers(other, client))) continue;
    const evaluation = evaluateSpf({ domain, record: expected, client, known, read });
    if (evaluation.kind === 'unread') return evaluation;
    if (evaluation.kind === 'temporaryError') return { kind: 'unanswered', failures: evaluation.failures };
    if (evaluation.kind === 'permanentError') return { kind: 'senderFault', name: evaluation.name };
    if (evaluation.kind === 'decided' && evaluation.passes) senders.push(client);
  }
  return senders.length > 0 || dependsOnMail ? senders : { kind: 'senderFault', name: domain };
}

/** One evaluation, or one for each part of a network that the record treats differently. */
function* evaluateWhole(question: SpfQuestion, reader: SpfReader): Generator<SpfEvaluation> {
  const parts = [question.client];
  for (let left = DIVISIONS_MAX; left > 0; left--) {
    const client = parts.pop();
    if (client === undefined) return;
    if (reader.isSpent) {
      yield tooMuchWork(question.domain);
      return;
    }
    const evaluation = evaluateSpf({ ...question, client });
    if (evaluation.kind === 'divided' && !isSingle(client)) parts.push(...halvesOf(client));
    else yield evaluation;
  }
  yield { kind: 'divided' };
}

const tooMuchWork = (server: string): SpfEvaluation => ({
  kind: 'temporaryError',
  failures: [{ kind: 'serverFailure', server, reason: 'limit' }],
});

function judgementOf(evaluation: SpfEvaluation, spf: SpfCase): SpfJudgement {
  switch (evaluation.kind) {
    case 'unread':
      return evaluation;
    case 'temporaryError':
      return { kind: 'unanswered', failures: evaluation.failures };
    case 'permanentError': {
      const { error, name } = evaluation;
      return { kind: 'fault', fault: error === 'syntax' && name !== spf.domain ? 'include' : error, name };
    }
    case 'decided':
      if (evaluation.passes) return { kind: 'authorized' };
      break;
    case 'divided':
    case 'depends':
      break;
  }
  const judgement = byText(spf);
  return judgement.kind === 'authorized' ? { kind: 'fault', fault: 'overruled', name: spf.domain } : judgement;
}

function byText({ domain, expected, published }: SpfCase): SpfJudgement {
  const fault = compareSpf(expected, published);
  return fault === 'same' ? { kind: 'authorized' } : { kind: 'fault', fault, name: domain };
}

/** A fault decides, and nothing after it is judged; without one, an unknown answer does. */
function worstOf<Part>(parts: Iterable<Part>, judge: (part: Part) => SpfJudgement): SpfJudgement {
  const judgements: SpfJudgement[] = [];
  for (const part of parts) {
    const judgement = judge(part);
    if (judgement.kind === 'fault') return judgement;
    judgements.push(judgement);
  }
  const questions = judgements.flatMap((one) => (one.kind === 'unread' ? one.questions : []));
  if (questions.length > 0) return { kind: 'unread', questions };
  return judgements.find(({ kind }) => kind !== 'authorized') ?? { kind: 'authorized' };
}

type KnownAnswer = NonNullable<ReturnType<KnownDns>>;

/** The different answers of a zone's servers, by question; failing servers are skipped, as receivers skip them. */
function indexAnswers(all: readonly ZoneAnswers[]): ReadonlyMap<string, readonly KnownAnswer[]> {
  const index = new Map<string, readonly KnownAnswer[]>();
  for (const { answers, ...question } of all) {
    const different = new Map<string, KnownAnswer>();
    for (const answer of answers) {
      if (answer.kind === 'serverFailure') continue;
      const known = knownFrom(answer);
      different.set(JSON.stringify(known), known);
    }
    const failed = answers.filter((answer) => answer.kind === 'serverFailure');
    index.set(questionKey(question), different.size > 0 ? [...different.values()] : [{ failed }]);
  }
  return index;
}

function knownFrom(answer: Exclude<DnsAnswer, ServerFailure>): KnownAnswer {
  if (answer.kind === 'found') return [...answer.values].sort();
  return answer.aliasFault === undefined ? [] : { aliasFault: answer.aliasFault };
}

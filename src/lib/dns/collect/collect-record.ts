import type { CachedAnswer } from '../resolver/ask-caches.ts';
import {
  questionKey,
  type DnsAnswer,
  type DnsQuestion,
  type LookUpType,
  type ZoneAnswers,
} from '../resolver/answer.ts';
import type { AuthoritativeResolver } from '../resolver/authoritative-resolver.ts';
import { fitsInDns, isAtOrBelow, isBelow, namesAbove, parentOf, UNUSED_LABEL } from '../names/domain-name.ts';
import type { CollectedRecord } from './collected-record.ts';
import { kindOf, type ExpectedRecord } from '../expected-record.ts';
import { isTenantZone, registeredDomainOf } from '../names/form-place.ts';
import { contentOf, judgeAnswers, statusOf } from '../records/judge-answers.ts';
import { disagrees } from '../records/resolver-answers.ts';
import { organizationalDomainOf } from '../names/public-suffix.ts';

export interface CollectContext {
  readonly resolver: Pick<AuthoritativeResolver, 'lookUp' | 'askCaches'>;
  /** Asks again for what `resolver` has answered already. */
  readonly lookUpAgain: AuthoritativeResolver['lookUp'];
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Lower case, without a final dot. */
  readonly domain: string;
}

/** Healthy servers need a tenth of this; a check must end before its Activity times out. */
const SPF_MS_MAX = 10_000;
/** Ten terms, of which each may have ten hosts, rarely need more. */
const SPF_QUESTIONS_MAX = 150;

/** RFC 9989 section 4.10 bounds the walk as well. */
const POLICIES_MAX = 8;

/** For which resolvers are asked as well: a receiver evaluates ten terms at most. */
const REFERENCES_MAX = 20;

/** With two answers in turn, two times show the other one; a third shows it if one was lost. */
const FURTHER_TIMES = 3;

/** Looks up the record, and then only what can explain the answer at its name. */
export async function collectRecord(context: CollectContext, expected: ExpectedRecord): Promise<CollectedRecord> {
  const at = await context.resolver.lookUp(expected.name, expected.type);
  const collected = await withTarget(
    context,
    await withOrganization(context, await withSpfAnswers(context, { expected, at })),
  );
  switch (statusIn(collected)) {
    case 'inconclusive':
      return collected;
    case 'found':
      return withCaches(context, collected);
    case 'wrong': {
      const known = await withWildcard(context, collected);
      return statusIn(known) === 'missing' ? withDelegation(context, known) : known;
    }
    case 'missing': {
      const hasValues = at.answers.some(({ kind }) => kind === 'found');
      return withDelegation(context, hasValues ? await withWildcard(context, collected) : collected);
    }
  }
}

/** Whether the record may be published elsewhere by mistake. */
export function isToBeSearched(collected: CollectedRecord): boolean {
  // One server has the record, so the others have not copied it yet.
  const isSomewhere = judgeAnswers(collected).some(({ verdict }) => verdict === 'found');
  return statusIn(collected) === 'missing' && isTenantZone(collected.at.zone) && !isSomewhere;
}

function statusIn(collected: CollectedRecord): ReturnType<typeof statusOf> {
  return statusOf(judgeAnswers(collected));
}

async function withOrganization(context: CollectContext, collected: CollectedRecord): Promise<CollectedRecord> {
  const { name } = collected.expected;
  if (kindOf(collected.expected) !== 'dmarc' || !needsPolicy(collected)) return collected;
  const domain = parentOf(name);
  const organizational = organizationalDomainOf(domain);
  if (organizational === undefined) return collected;
  const ask = (above: string): Promise<ZoneAnswers> => context.resolver.lookUp(`_dmarc.${above}`, 'TXT');
  const known = organizational === domain ? collected : { ...collected, organization: await ask(organizational) };
  if (!needsPolicy(known)) return known;
  const above = namesAbove(domain).filter((one) => isAtOrBelow(one, parentOf(organizational)));
  const others = above.slice(-POLICIES_MAX).filter((one) => one !== organizational);
  return { ...known, policiesAbove: await Promise.all(others.map(ask)) };
}

const needsPolicy = (collected: CollectedRecord): boolean => ['missing', 'wrong'].includes(statusIn(collected));

/** Texts, because keys and SPF records are what receivers get through a CNAME record. */
async function withTarget(context: CollectContext, collected: CollectedRecord): Promise<CollectedRecord> {
  const { expected } = collected;
  if (kindOf(expected) !== 'alias' || statusIn(collected) !== 'found') return collected;
  return { ...collected, leadsTo: await context.resolver.lookUp(expected.name, 'TXT') };
}

async function withWildcard(context: CollectContext, collected: CollectedRecord): Promise<CollectedRecord> {
  const { expected, at } = collected;
  const beside = `${UNUSED_LABEL}.${parentOf(expected.name)}`;
  // The apex of a zone is never answered by a wildcard.
  if (at.zone === undefined || !isBelow(expected.name, at.zone) || !fitsInDns(beside)) return collected;
  return { ...collected, wildcard: await context.resolver.lookUp(beside, expected.type) };
}

/** The NS records of the registered domain, where only the registry's servers answered. */
async function withDelegation(context: CollectContext, collected: CollectedRecord): Promise<CollectedRecord> {
  const { zone } = collected.at;
  const registered = registeredDomainOf(context.domain);
  if (zone === undefined || isTenantZone(zone) || !isBelow(registered, zone)) return collected;
  return { ...collected, delegation: await context.resolver.lookUp(registered, 'NS') };
}

/** Asks what a receiver would ask to evaluate the SPF record: the evaluation returns the questions that it still lacks. */
async function withSpfAnswers(context: CollectContext, collected: CollectedRecord): Promise<CollectedRecord> {
  const spfAnswers: ZoneAnswers[] = [];
  const endsAt = context.now() + SPF_MS_MAX;
  for (;;) {
    const asked = new Set(spfAnswers.map(questionKey));
    const questions = new Map(
      judgeAnswers({ ...collected, spfAnswers })
        .flatMap(({ spf }) => (spf?.kind === 'unread' ? spf.questions : []))
        .map((question) => [questionKey(question), question] as const)
        .filter(([key]) => !asked.has(key)),
    );
    if (questions.size === 0) return asked.size === 0 ? collected : { ...collected, spfAnswers };
    const isOver = context.now() >= endsAt || asked.size + questions.size > SPF_QUESTIONS_MAX;
    const lookUp = ({ name, type }: DnsQuestion): Promise<ZoneAnswers> =>
      isOver ? Promise.resolve(unanswered(name, type)) : context.resolver.lookUp(name, type);
    spfAnswers.push(...(await Promise.all([...questions.values()].map(lookUp))));
  }
}

const unanswered = (name: string, type: LookUpType): ZoneAnswers => ({
  name,
  type,
  zone: undefined,
  answers: [{ kind: 'serverFailure', server: name, reason: 'limit' }],
});

async function withCaches(context: CollectContext, collected: CollectedRecord): Promise<CollectedRecord> {
  const { at, organization, spfAnswers = [] } = collected;
  const askCaches = async ({ name, type, zone }: ZoneAnswers): Promise<readonly CachedAnswer[]> =>
    zone === undefined ? [] : context.resolver.askCaches({ name, type, zone });
  const aboutReference = async (reference: ZoneAnswers): Promise<readonly CachedAnswer[]> =>
    (await askCaches(reference)).flatMap((answer) =>
      answer.kind === 'bogus' || answer.kind === 'failed' ? [{ ...answer, name: reference.name }] : [],
    );
  // What applies through the organizational domain is not at the name.
  const own = organization === undefined ? askCaches(at) : aboutReference(organization);
  const references = spfAnswers.slice(0, REFERENCES_MAX).map(aboutReference);
  const caches = (await Promise.all([own, ...references])).flat();
  const known = { ...collected, caches };
  return caches.some((answer) => disagrees(known, answer)) ? withFurtherAnswers(context, known) : known;
}

/** A server may have several answers in turn, of which the resolver got another one. */
async function withFurtherAnswers(context: CollectContext, collected: CollectedRecord): Promise<CollectedRecord> {
  const { at } = collected;
  const answers = [...at.answers];
  for (let times = 0; times < FURTHER_TIMES; times += 1) {
    const again = await context.lookUpAgain(at.name, at.type);
    const isNew = (answer: DnsAnswer): boolean =>
      answer.kind !== 'serverFailure' &&
      !answers.some((other) => other.server === answer.server && contentOf(other) === contentOf(answer));
    answers.push(...again.answers.filter(isNew));
  }
  if (answers.length === at.answers.length) return collected;
  return withSpfAnswers(context, { ...collected, at: { ...at, answers } });
}

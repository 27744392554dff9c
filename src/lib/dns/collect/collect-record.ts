import type { LookUpType, ZoneAnswers } from '../resolver/answer.ts';
import type { AuthoritativeResolver } from '../resolver/authoritative-resolver.ts';
import { fitsInDns, isBelow, parentOf } from '../names/domain-name.ts';
import type { CollectedRecord } from './collected-record.ts';
import type { ExpectedRecord, RecordPurpose } from '../expected-record.ts';
import { isTenantZone, registeredDomainOf } from '../names/form-place.ts';
import { judgeAnswers, statusOf } from '../records/judge-answers.ts';
import { apexNames, doubledNames, otherSelectorNames, parentNames } from './misplaced-names.ts';
import type { DnsQuestion } from '../spf/evaluate-spf.ts';

export interface Look {
  readonly resolver: AuthoritativeResolver;
  /** Milliseconds, of any clock that only goes forwards. */
  readonly now: () => number;
  /** Lower case, without a final dot. */
  readonly domain: string;
}

/** Healthy servers answer in a tenth of it; a check has to end before its Activity does. */
const SPF_MS_MAX = 10_000;
/** More than a receiver asks: ten terms, one of which may have ten hosts. */
const SPF_QUESTIONS_MAX = 150;

/** Types that forms offer beside the right one. Receivers read none but TXT since RFC 7208 section 3.1. */
const typesMistaken: Readonly<Record<RecordPurpose, readonly LookUpType[]>> = {
  dkim: ['MX', 'SPF'],
  spf: ['MX', 'SPF'],
  dmarc: ['MX'],
  return_path: ['TXT'],
};

/** Asks for the record, and then only for what can explain the answer: a record that is right costs nothing more. */
export async function collectRecord(look: Look, expected: ExpectedRecord): Promise<CollectedRecord> {
  const at = await look.resolver.lookUp(expected.name, expected.type);
  const collected = await withSpfAnswers(look, { expected, at });
  switch (statusIn(collected)) {
    case 'inconclusive':
      return collected;
    case 'found':
      return withCaches(look, collected);
    case 'wrong': {
      const known = await withWildcard(look, collected);
      return statusIn(known) === 'missing' ? withOtherPlaces(look, known) : known;
    }
    case 'missing': {
      // Where one server has it, the others are late, and nobody has entered it elsewhere.
      if (judgeAnswers(collected).some(({ verdict }) => verdict === 'found')) return collected;
      const hasValues = at.answers.some(({ kind }) => kind === 'found');
      return withOtherPlaces(look, hasValues ? await withWildcard(look, collected) : collected);
    }
  }
}

function statusIn(collected: CollectedRecord): ReturnType<typeof statusOf> {
  return statusOf(judgeAnswers(collected));
}

async function withWildcard(look: Look, collected: CollectedRecord): Promise<CollectedRecord> {
  const wildcard = await lookUpIfName(look, nameBeside(collected), collected.expected.type);
  return { ...collected, ...(wildcard && { wildcard }) };
}

async function withOtherPlaces(look: Look, collected: CollectedRecord): Promise<CollectedRecord> {
  const { expected, at } = collected;
  const { zone } = at;
  if (zone === undefined) return collected;
  if (!isTenantZone(zone)) {
    const delegation = await lookUpIfName(look, registeredBelow(zone, look.domain), 'NS');
    return { ...collected, ...(delegation && { delegation }) };
  }
  // What is at the name on any server, of any type, makes the name exist.
  const nameExists = at.answers.some((answer) => answer.kind === 'noData' || answer.kind === 'found');
  const { name, type, purpose } = expected;
  const [doubled, onParent, otherTypes, otherSelectors, domainItself] = await Promise.all([
    lookUpAll(look, doubledNames(name, zone, look.domain), type),
    // A DMARC policy up there is a policy of its own right.
    lookUpAll(look, purpose === 'dmarc' ? [] : parentNames(name, look.domain), type),
    Promise.all((nameExists ? typesMistaken[purpose] : []).map((other) => look.resolver.lookUp(name, other))),
    collectOtherSelectors(look, expected),
    lookUpAll(look, apexNames(zone, look.domain), type),
  ]);
  return { ...collected, doubled, onParent, otherTypes, otherSelectors, domainItself };
}

async function collectOtherSelectors(look: Look, expected: ExpectedRecord): Promise<readonly ZoneAnswers[]> {
  const names = otherSelectorNames(expected);
  if (names === undefined) return [];
  const [parent, beside] = await Promise.all([
    lookUpAll(look, [names.parent], 'TXT'),
    lookUpAll(look, names.beside, 'TXT'),
  ]);
  // RFC 8020: below a name that does not exist there is nothing.
  const exists = parent.some(({ answers }) => answers.some(({ kind }) => kind === 'found' || kind === 'noData'));
  return [...parent, ...beside, ...(exists ? await lookUpAll(look, names.below, 'TXT') : [])];
}

/**
 * Asks for what a receiver would ask when it evaluates the SPF record, and never more than it may: the evaluation says
 * what it lacks until it lacks nothing.
 */
async function withSpfAnswers(look: Look, collected: CollectedRecord): Promise<CollectedRecord> {
  const spfAnswers: ZoneAnswers[] = [];
  const endsAt = look.now() + SPF_MS_MAX;
  for (;;) {
    const asked = new Set(spfAnswers.map(({ name, type }) => `${type} ${name}`));
    const questions = new Map(
      judgeAnswers({ ...collected, spfAnswers })
        .flatMap(({ spf }) => (spf?.kind === 'unread' ? spf.questions : []))
        .map((question) => [`${question.type} ${question.name}`, question] as const)
        .filter(([key]) => !asked.has(key)),
    );
    if (questions.size === 0) return asked.size === 0 ? collected : { ...collected, spfAnswers };
    const isOver = look.now() >= endsAt || asked.size + questions.size > SPF_QUESTIONS_MAX;
    const lookUp = ({ name, type }: DnsQuestion): Promise<ZoneAnswers> =>
      isOver ? Promise.resolve(unanswered(name, type)) : look.resolver.lookUp(name, type);
    spfAnswers.push(...(await Promise.all([...questions.values()].map(lookUp))));
  }
}

const unanswered = (name: string, type: LookUpType): ZoneAnswers => ({
  name,
  type,
  zone: undefined,
  answers: [{ kind: 'serverFailure', server: name, reason: 'limit' }],
});

async function withCaches(look: Look, collected: CollectedRecord): Promise<CollectedRecord> {
  const { name, type, zone } = collected.at;
  if (zone === undefined) return collected;
  return { ...collected, caches: await look.resolver.askCaches({ name, type, zone }) };
}

async function lookUpAll(look: Look, names: readonly string[], type: LookUpType): Promise<readonly ZoneAnswers[]> {
  const all = await Promise.all(names.map((name) => lookUpIfName(look, name, type)));
  return all.filter((answers) => answers !== undefined);
}

function lookUpIfName(look: Look, name: string | undefined, type: LookUpType): Promise<ZoneAnswers | undefined> {
  return name !== undefined && fitsInDns(name) ? look.resolver.lookUp(name, type) : Promise.resolve(undefined);
}

/** A name that only a wildcard answers for; the apex of a zone is never a wildcard's. */
function nameBeside({ expected, at }: CollectedRecord): string | undefined {
  if (at.zone === undefined || !isBelow(expected.name, at.zone)) return undefined;
  return `no-such-host.${parentOf(expected.name)}`;
}

/** `acme.co.uk` for `mail.acme.co.uk` and `uk`. */
function registeredBelow(zone: string, domain: string): string | undefined {
  const registered = registeredDomainOf(domain);
  return isBelow(registered, zone) ? registered : undefined;
}

// Searches where missing records are published by mistake. Thousands of tenants wait for days, so the questions are few: one
// name server is asked, the likely names first, and none below a name that does not exist.
// Every check searches anew: large operators never change the serial of a zone, which could show that nothing changed.
import { kindOf } from '../expected-record.ts';
import { fitsInDns, isBelow, namesAbove, namesBelowTopLevel, parentOf, UNUSED_LABEL } from '../names/domain-name.ts';
import { isTenantZone, registeredDomainOf } from '../names/form-place.ts';
import { isOfItsKind, judgeValues } from '../records/compare-record.ts';
import { enteredAnswers, valuesOf } from '../records/judge-answers.ts';
import { isMeantAsKey } from '../records/wrapped-key.ts';
import { questionKey, type DnsQuestion, type LookUpType, type ZoneAnswers } from '../resolver/answer.ts';
import { placesToSearch, type PlaceToSearch } from './places-to-search.ts';
import type { CollectContext } from './collect-record.ts';
import type { CollectedRecord } from './collected-record.ts';

/** For all records of a check together, at one name server. */
const QUESTIONS_MIN = 60;
/** One error of typing makes some 400 other names of the four hosts. */
const QUESTIONS_MAX = 400;
/** One for every two seconds since the last check: a waiting domain is checked some 200 times in three days, most often at first. */
const QUESTIONS_PER_SECOND = 0.5;
/** Of each record, before others of the required ones. */
const PLACES_LIKELIEST = 2;
/** Questions at a time: few while the places are likely. */
const WAVE = 6;
const WAVE_OF_MISTYPED = 12;
/** Healthy servers need a fifth of this; a check must end before its Activity times out. */
const SEARCH_MS_MAX = 5_000;
/** From so many names on, the denial of the name above them is worth a question of its own to confirm it. */
const NAMES_CONFIRMED = 5;

export interface SearchContext extends CollectContext {
  /** The names of all records of the check. */
  readonly names: readonly string[];
  readonly lookUpAtOne: (name: string, type: LookUpType) => Promise<ZoneAnswers>;
}

interface Candidate extends PlaceToSearch {
  readonly record: CollectedRecord;
}

/** What a search has learned so far. */
interface Search {
  readonly lookUpAtOne: SearchContext['lookUpAtOne'];
  readonly known: Map<string, Existence>;
  readonly answers: Map<string, ZoneAnswers>;
  /** Found elsewhere: no other place needs a question. */
  readonly solved: Set<CollectedRecord>;
  readonly wildcards: ZoneAnswers[];
}

/** Adds the answers at other places to each of the records, which are missing in zones of a tenant. */
export async function searchPlaces(
  context: SearchContext,
  records: readonly CollectedRecord[],
): Promise<ReadonlyMap<CollectedRecord, CollectedRecord>> {
  const candidates = inOrder(records.flatMap((record) => candidatesFor(record, context) ?? []));
  const answers = await askInWaves(context, records, candidates);
  return new Map(
    records.map((record) => {
      const own = candidates.filter((candidate) => candidate.record === record);
      const at = (place: PlaceToSearch['place']): readonly ZoneAnswers[] =>
        own.filter((one) => one.place === place).flatMap((one) => answers.get(questionKey(one)) ?? []);
      const found = {
        doubled: at('doubled'),
        onParent: at('onParent'),
        otherTypes: at('otherTypes'),
        otherSelectors: at('otherSelectors'),
        domainItself: at('domainItself'),
        misspelt: at('misspelt'),
      };
      return [record, { ...record, ...found }];
    }),
  );
}

/** Each wave spares the next ones the names that it denies and the records that it finds. */
async function askInWaves(
  { now, lookUpAtOne }: SearchContext,
  records: readonly CollectedRecord[],
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<string, ZoneAnswers>> {
  const known: Search['known'] = new Map();
  const answers: Search['answers'] = new Map();
  const search: Search = { lookUpAtOne, known, answers, solved: new Set(), wildcards: [] };
  for (const { at } of records) learn(known, at);
  const endsAt = now() + SEARCH_MS_MAX;
  const questionsMax = questionsFor(records);
  while (answers.size < questionsMax && now() < endsAt) {
    const open = candidates.filter((candidate) => isOpen(candidate, search));
    const likely = nextQuestions(open, known);
    const wave = answers.size < QUESTIONS_MIN ? WAVE : WAVE_OF_MISTYPED;
    const asked = firstOfEachName(likely.length > 0 ? likely : open).slice(
      0,
      Math.min(wave, questionsMax - answers.size),
    );
    if (asked.length === 0) break;
    const results = await Promise.all(asked.map(({ name, type }) => lookUpAtOne(name, type)));
    // The whole wave before it is judged: a denied name shows that another was not made by a wildcard.
    for (const result of results) {
      answers.set(questionKey(result), result);
      learn(known, result);
    }
    for (const result of results) await judge(search, open, result);
    if (results.every((result) => result.answers.every(({ kind }) => kind === 'serverFailure'))) break;
  }
  return answers;
}

function isOpen(candidate: Candidate, { known, answers, solved }: Search): boolean {
  return (
    !answers.has(questionKey(candidate)) && known.get(candidate.name) !== 'denied' && !solved.has(candidate.record)
  );
}

/** Notes the records that the answer solves, and a denial in place of what a wildcard answers. */
async function judge(search: Search, open: readonly Candidate[], result: ZoneAnswers): Promise<void> {
  const solvers = open.filter(
    (candidate) => questionKey(candidate) === questionKey(result) && solves(candidate, result),
  );
  const mayBeMade = solvers.some((candidate) => mayBeOfWildcard(candidate, search.known));
  const entered = mayBeMade ? await withoutWildcard(search, result) : result;
  search.answers.set(questionKey(result), entered);
  for (const candidate of solvers) if (solves(candidate, entered)) search.solved.add(candidate.record);
}

/** A name that is denied shows that there is no wildcard beside it. Of doubled names, only that of the zone is likely. */
function mayBeOfWildcard({ name, place, record }: Candidate, known: Search['known']): boolean {
  const hasDenied = (above: string | undefined): boolean =>
    [...known].some(([below, existence]) => existence === 'denied' && parentOf(below) === above);
  return !hasDenied(parentOf(name)) && !(place === 'doubled' && hasDenied(record.at.zone));
}

/** A wildcard answers for any name beside it as well, and no record of that name can be moved. */
async function withoutWildcard(search: Search, result: ZoneAnswers): Promise<ZoneAnswers> {
  const isMadeBy = (wildcard: ZoneAnswers): boolean => enteredAnswers(result.answers, wildcard).length === 0;
  if (!search.wildcards.some(isMadeBy)) {
    const beside = `${UNUSED_LABEL}.${parentOf(result.name)}`;
    if (!fitsInDns(beside)) return result;
    const wildcard = await search.lookUpAtOne(beside, result.type);
    search.answers.set(questionKey(wildcard), wildcard);
    if (!isMadeBy(wildcard)) return result;
    search.wildcards.push(wildcard);
  }
  const denied = { kind: 'noData', authoritative: true, aliases: [] } as const;
  return { ...result, answers: result.answers.map(({ server }) => ({ ...denied, server })) };
}

/** Without an earlier check, all: a person waits for the answer. */
function questionsFor(records: readonly CollectedRecord[]): number {
  const secondsAgo = Math.min(...records.map(({ expected }) => expected.checkedSecondsAgo ?? Infinity));
  return Math.min(QUESTIONS_MIN + Math.floor(secondsAgo * QUESTIONS_PER_SECOND), QUESTIONS_MAX);
}

interface Candidates {
  readonly isRequired: boolean;
  readonly likely: readonly Candidate[];
  readonly mistyped: readonly (readonly Candidate[])[];
}

function candidatesFor(record: CollectedRecord, { domain, names }: SearchContext): Candidates | undefined {
  const { expected, at } = record;
  if (!isTenantZone(at.zone)) return undefined;
  // A record of any type on any server makes the name exist.
  const nameExists = at.answers.some(({ kind }) => kind === 'noData' || kind === 'found');
  // Where values were swapped, the one in its place says so.
  const hasValues = at.answers.some(({ kind }) => kind === 'found');
  const { likely, mistyped } = placesToSearch(expected, {
    zone: at.zone,
    domain,
    nameExists,
    names: hasValues ? [] : names,
  });
  const toCandidates = (places: readonly PlaceToSearch[]): readonly Candidate[] =>
    places
      // Some forms keep a space that was copied with the host.
      .filter(({ name }) => fitsInDns(name.replaceAll(' ', '_')))
      .map((place) => ({ ...place, record }));
  const isSeen = ({ name }: PlaceToSearch): boolean => expected.seenAt?.includes(name) === true;
  const seen = [...likely, ...mistyped.flat()].filter(isSeen);
  return {
    isRequired: expected.required,
    likely: toCandidates([...seen, ...likely.filter((place) => !isSeen(place))]),
    mistyped: mistyped.map((places) => toCandidates(places.filter((place) => !isSeen(place)))),
  };
}

/**
 * A form that appends the zone does so for each record; otherwise the domain waits for the required ones. Every host is mistyped alike
 * often, for its length.
 */
function inOrder(all: readonly Candidates[]): readonly Candidate[] {
  const rest = (required: boolean): readonly Candidate[] =>
    inTurn(all.filter(({ isRequired }) => isRequired === required).map(({ likely }) => likely.slice(PLACES_LIKELIEST)));
  const groups = Math.max(0, ...all.map(({ mistyped }) => mistyped.length));
  return [
    ...inTurn(all.map(({ likely }) => likely.slice(0, PLACES_LIKELIEST))),
    ...rest(true),
    ...rest(false),
    ...Array.from({ length: groups }, (_, group) => inTurn(all.map(({ mistyped }) => mistyped[group] ?? []))).flat(),
  ];
}

/** The first of each list, then the second of each, and so on. */
function inTurn<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

/** The answer for one type may show that the name does not exist. */
function firstOfEachName(questions: readonly DnsQuestion[]): readonly DnsQuestion[] {
  const first = new Map<string, DnsQuestion>();
  for (const question of questions) if (!first.has(question.name)) first.set(question.name, question);
  return [...first.values()];
}

/** A record of the domain itself or of one above can be another sender's as well. */
function solves({ place, record }: Candidate, { answers }: ZoneAnswers): boolean {
  const { expected, wildcard } = record;
  const kind = kindOf(expected);
  const values = valuesOf(enteredAnswers(answers, wildcard));
  if (place === 'otherTypes') return kind === 'alias' && values.length > 0;
  if (place === 'doubled') return values.some((value) => isOfItsKind(expected, value));
  if (kind === 'dkim') return values.some((value) => isMeantAsKey(expected.value, value));
  if (place === 'domainItself' || place === 'onParent') return false;
  return values.some((value) =>
    kind === 'dmarc' ? isOfItsKind(expected, value) : judgeValues(expected, [value]) === 'found',
  );
}

type Existence = 'exists' | 'denied';

/** RFC 8020: nothing is below a name that does not exist. */
function learn(known: Map<string, Existence>, { name, answers }: ZoneAnswers): void {
  const spoken = answers.filter((answer) => answer.kind !== 'serverFailure');
  if (spoken.length === 0) return;
  const isDenied = spoken.every((answer) => answer.kind === 'nxDomain' && answer.aliases.length === 0);
  if (isDenied && known.get(name) !== 'exists') known.set(name, 'denied');
  // Also where a server has denied the empty name above it.
  else for (const one of namesBelowTopLevel(name)) known.set(one, 'exists');
}

/** The likely names, or the highest unknown name above several of them. None below a name that is denied. */
function nextQuestions(open: readonly Candidate[], known: ReadonlyMap<string, Existence>): readonly DnsQuestion[] {
  const questions: DnsQuestion[] = [];
  const passed = new Set<string>();
  const namesBelow = countBelow(open);
  for (const candidate of open) {
    const above = namesOnTheWay(candidate);
    if (above.some((name) => known.get(name) === 'denied')) continue;
    const unknown = above.filter((name) => !known.has(name));
    const shared = unknown.find((name) => (namesBelow.get(name) ?? 0) > 1);
    if (shared === undefined) questions.push(candidate);
    else if (!passed.has(shared)) {
      passed.add(shared);
      // Some servers deny an empty name although others are below it.
      if ((namesBelow.get(shared) ?? 0) >= NAMES_CONFIRMED) questions.push(candidate);
      questions.push({ name: shared, type: 'TXT' });
    }
  }
  return questions;
}

/** How many names are below each name above them. */
function countBelow(open: readonly Candidate[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const below of new Set(open.map(({ name }) => name)))
    for (const above of namesAbove(below)) counts.set(above, (counts.get(above) ?? 0) + 1);
  return counts;
}

/** Between the name and the apex of its zone, from the top. */
function namesOnTheWay({ name, record }: Candidate): readonly string[] {
  const { zone = '' } = record.at;
  const apex = isBelow(name, zone) ? zone : registeredDomainOf(name);
  return namesAbove(name)
    .filter((above) => isBelow(above, apex))
    .reverse();
}

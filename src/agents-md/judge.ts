import { counted } from '../lib/counted.ts';
import type { CheckSoFar, CheckSubject, LastConclusive } from './check-result.ts';
import { codeHosts } from './code-hosts.ts';
import { ContentClass, VISIBLE_CODE_POINTS_NEEDED } from './measure-file.ts';
import {
  type FileObservation,
  FoundIn,
  type CheckedPlace,
  type NoAnswer,
  type ResolutionObservation,
} from './observation.ts';
import type { ReasonCode } from './reasons.ts';
import { isSameName, previousOfSameSubject, resolvedRepository, subjectOf } from './subject-of.ts';

/** A question that is still open, or the reason that decides. */
export type Judgement =
  | { readonly open: 'resolution' }
  | {
      readonly open: 'file';
      readonly place: CheckedPlace;
      readonly look: FileObservation['look'];
      /** What holds when it cannot be asked; absent: then nothing does. */
      readonly otherwise?: Decision;
    }
  | Decision;

export interface Decision {
  readonly open: null;
  readonly reasonCode: ReasonCode;
  /** The observation that decided; null where none was needed, or where both places together decided. */
  readonly by: FileObservation | ResolutionObservation | null;
  /** Where AGENTS.md was found, which is not where its symlink led. */
  readonly foundAt: CheckedPlace | null;
  readonly viaSymlink: string | null;
  /** What the observation does not say itself. */
  readonly detail: string | null;
}

const FILE_NAME = 'AGENTS.md';

const noAnswerReasons = {
  throttled: 'throttled',
  unreachable: 'unreachable',
  refused: 'refused',
  redirectBlocked: 'redirect_blocked',
  unexpectedContent: 'unexpected_content',
} as const satisfies Record<NoAnswer, ReasonCode>;

const contentReasons = {
  [ContentClass.content]: 'content_found',
  [ContentClass.stub]: 'stub',
  [ContentClass.empty]: 'empty_file',
  [ContentClass.pointer]: 'pointer_only',
  [ContentClass.brokenLink]: 'broken_link',
  [ContentClass.lfsPointer]: 'lfs_pointer',
} as const satisfies Record<ContentClass, ReasonCode>;

/** The rule, read from the top: every question in its order, until one is open or one decides. */
export function judge(soFar: CheckSoFar): Judgement {
  if (soFar.input.organization === undefined) return decided('no_organization');
  const unresolved = judgeResolution(soFar);
  if (unresolved !== null) return unresolved;
  const places = placesOf(soFar);
  for (const place of places) {
    const judgement = judgePlace(soFar, place, 'first');
    if (judgement !== 'absent') return judgement;
  }
  const confirmed = judgeAbsence(soFar, places);
  if (confirmed !== 'absent') return confirmed;
  return decided(subjectOf(soFar).primaryRepository === null ? 'no_repository' : 'file_not_found');
}

/** Where the file was last, for an organization that is said to be gone. */
function placesBefore(soFar: CheckSoFar): CheckedPlace[] {
  const last = lastConclusiveOf(soFar);
  return placesIn(subjectOf(soFar), last?.foundIn === FoundIn.primary ? last.repository : null);
}

/** The primary repository first; the organization's own repository only stands in for it, and never twice. */
export function placesOf(soFar: CheckSoFar): CheckedPlace[] {
  const subject = subjectOf(soFar);
  return placesIn(subject, subject.primaryRepository);
}

function placesIn({ organization, host }: CheckSubject, primary: string | null): CheckedPlace[] {
  if (organization === null) return [];
  const fallback = codeHosts[host].fallbackRepository;
  const at = (place: FoundIn, repository: string): CheckedPlace => ({
    in: place,
    organization,
    repository,
    path: FILE_NAME,
  });
  return [
    ...(primary === null ? [] : [at(FoundIn.primary, primary)]),
    ...(fallback === null || primary?.toLowerCase() === fallback ? [] : [at(FoundIn.orgFallback, fallback)]),
  ];
}

/**
 * A file that was there is called gone only after a second look where it was. One that another check has made counts,
 * whatever is known of this producer; another repository that is the primary one now is looked at once.
 */
function judgeAbsence(soFar: CheckSoFar, places: readonly CheckedPlace[]): Judgement | 'absent' {
  const last = lastConclusiveOf(soFar);
  const wasAt = ({ in: place, repository }: CheckedPlace): boolean =>
    place === last?.foundIn && isSameName(repository, last.repository);
  for (const place of places) {
    if (observationOf(soFar, place, 'second') === undefined && !wasAt(place)) continue;
    const judgement = judgePlace(soFar, place, 'second');
    if (judgement !== 'absent') return judgement;
  }
  return 'absent';
}

const lastConclusiveOf = (soFar: CheckSoFar): LastConclusive | null =>
  previousOfSameSubject(soFar)?.result.lastConclusive ?? null;

function judgeResolution(soFar: CheckSoFar): Judgement | null {
  if (soFar.input.primaryRepository !== undefined || resolvedRepository(soFar) !== null) return null;
  const asked = soFar.observations.find((observation) => observation.kind === 'resolution');
  if (asked === undefined) return { open: 'resolution' };
  switch (asked.answer) {
    case 'resolved':
    case 'none':
      return null;
    case 'absent': {
      const confirmed = judgeAbsence(soFar, placesBefore(soFar));
      return confirmed === 'absent' ? decided('organization_not_found', { by: asked }) : confirmed;
    }
    case 'undetermined':
      return decided('repository_required', { by: asked });
    case 'throttled':
    case 'unreachable':
    case 'refused':
    case 'redirectBlocked':
    case 'unexpectedContent':
      return decided(noAnswerReasons[asked.answer], { by: asked });
  }
}

function judgePlace(soFar: CheckSoFar, place: CheckedPlace, look: FileObservation['look']): Judgement | 'absent' {
  const seen = observationOf(soFar, place, look);
  if (seen === undefined) return { open: 'file', place, look };
  if (seen.answer === 'absent') return 'absent';
  if (seen.answer !== 'text') return decided(noAnswerReasons[seen.answer], { by: seen });
  if (seen.symlink === null) return judgeText(seen, place, null);
  const brokenLink = (detail: string): Decision => decided('broken_link', { by: seen, foundAt: place, detail });
  if (seen.symlink === 'escapes') return brokenLink('it leads out of the repository');
  const target = { ...place, path: seen.symlink.leadsTo };
  if (target.path === place.path) return brokenLink('it leads to itself');
  const led = observationOf(soFar, target, look);
  // A word that stands alone is a symlink only when there is a file of that name.
  const { isGuess } = seen.symlink;
  if (led === undefined) {
    return { open: 'file', place: target, look, ...(isGuess ? { otherwise: judgeText(seen, place, null) } : {}) };
  }
  if (led.answer === 'absent') {
    return isGuess ? judgeText(seen, place, null) : brokenLink(`there is no ${target.path}`);
  }
  if (led.answer !== 'text') return decided(noAnswerReasons[led.answer], { by: led });
  if (led.symlink === 'escapes' || (led.symlink !== null && led.symlink.isGuess !== true))
    return brokenLink(`${target.path} is a symlink too, and only one is followed`);
  return judgeText(led, place, target.path);
}

function judgeText(seen: FileObservation, foundAt: CheckedPlace, viaSymlink: string | null): Decision {
  const { measurement } = seen;
  if (measurement === null) return decided('unexpected_content', { by: seen, detail: 'a text without a measurement' });
  const { contentClass, truncated, visibleCodePoints, bytes } = measurement;
  // The rest of the file might hold what its beginning lacks.
  if (truncated && visibleCodePoints < VISIBLE_CODE_POINTS_NEEDED) {
    const detail = `the first ${bytes} bytes hold ${counted(visibleCodePoints, 'visible character')}, and no more is read`;
    return decided('unexpected_content', { by: seen, detail });
  }
  return decided(contentReasons[contentClass], { by: seen, foundAt, viaSymlink });
}

const observationOf = (
  { observations }: CheckSoFar,
  place: CheckedPlace,
  look: FileObservation['look'],
): FileObservation | undefined =>
  observations
    .filter((observation) => observation.kind === 'file')
    .find((seen) => seen.look === look && isSamePlace(seen.place, place));

export const isSamePlace = (one: CheckedPlace, other: CheckedPlace): boolean =>
  one.in === other.in &&
  one.path === other.path &&
  isSameName(one.repository, other.repository) &&
  isSameName(one.organization, other.organization);

const decided = (reasonCode: ReasonCode, rest: Partial<Omit<Decision, 'open' | 'reasonCode'>> = {}): Decision => ({
  open: null,
  reasonCode,
  by: null,
  foundAt: null,
  viaSymlink: null,
  detail: null,
  ...rest,
});

import { counted } from '../lib/counted.ts';
import { type CheckFacts, placesOf } from './check-facts.ts';
import { isSameName } from './code-host.ts';
import { ContentClass, type FileMeasurement, VISIBLE_CODE_POINTS_NEEDED } from './file-measurement.ts';
import {
  type CheckedPlace,
  type FileObservation,
  FoundIn,
  isSamePlace,
  type NoAnswer,
  type ResolutionObservation,
} from './observation.ts';
import type { ReasonCode } from './reasons.ts';
import { SelectedBy } from './select-repository.ts';
import { brokenLinkDetails, isCertainSymlink } from './symlink-text.ts';

/** A request that is still to be made, or the reason that decides. */
export type Judgement =
  | { readonly open: 'resolution' }
  | {
      readonly open: 'file';
      readonly place: CheckedPlace;
      readonly look: FileObservation['look'];
      /** The decision if no request is left. */
      readonly otherwise?: Decision;
    }
  | Decision;

export interface Decision {
  readonly open: null;
  readonly reasonCode: ReasonCode;
  /** The observation that decided; null if none was needed, or if both places decided together. */
  readonly by: FileObservation | ResolutionObservation | null;
  /** Where AGENTS.md was found, not its symlink's target. */
  readonly foundAt: CheckedPlace | null;
  readonly viaSymlink: string | null;
  /** Overrides the observation's own detail. */
  readonly detail: string | null;
}

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

/** The rule, read from the top: the first missing answer, or the first reason that decides. */
export function judge(facts: CheckFacts): Judgement {
  const { subject, places } = facts;
  if (subject.organization === null) return decided('no_organization');
  const unresolved = subject.selectedBy === SelectedBy.input || facts.resolved !== null ? null : judgeResolution(facts);
  if (unresolved !== null) return unresolved;
  for (const place of places) {
    const judgement = judgePlace(facts, place, 'first');
    if (judgement !== 'absent') return judgement;
  }
  const confirmed = judgeAbsence(facts, places);
  if (confirmed !== 'absent') return confirmed;
  return decided(subject.primaryRepository === null ? 'no_repository' : 'file_not_found');
}

/**
 * Reports a file as gone only after a second check where it was. A second check that another check of the organization made
 * counts too; a repository that only now is the primary one needs none.
 */
function judgeAbsence(facts: CheckFacts, places: readonly CheckedPlace[]): Judgement | 'absent' {
  const last = facts.lastConclusive;
  const wasAt = ({ in: foundIn, repository }: CheckedPlace): boolean =>
    foundIn === last?.foundIn && isSameName(repository, last.repository);
  for (const place of places) {
    if (observationOf(facts, place, 'second') === undefined && !wasAt(place)) continue;
    const judgement = judgePlace(facts, place, 'second');
    if (judgement !== 'absent') return judgement;
  }
  return 'absent';
}

function judgeResolution(facts: CheckFacts): Judgement | null {
  const { subject, resolution, lastConclusive: last } = facts;
  if (resolution === undefined) return { open: 'resolution' };
  const { answer } = resolution;
  if (answer === 'resolved' || answer === 'none') return null;
  if (answer === 'undetermined') return decided('repository_required', { by: resolution });
  if (answer !== 'absent') return decided(noAnswerReasons[answer], { by: resolution });
  const before = placesOf(subject, last?.foundIn === FoundIn.primary ? last.repository : null);
  const confirmed = judgeAbsence(facts, before);
  return confirmed === 'absent' ? decided('organization_not_found', { by: resolution }) : confirmed;
}

function judgePlace(facts: CheckFacts, place: CheckedPlace, look: FileObservation['look']): Judgement | 'absent' {
  const seen = observationOf(facts, place, look);
  if (seen === undefined) return { open: 'file', place, look };
  if (seen.answer === 'absent') return 'absent';
  if (seen.answer !== 'text') return decided(noAnswerReasons[seen.answer], { by: seen });
  if (seen.symlink === null) return judgeText(seen, place, null);
  const brokenLink = (detail: string): Decision => decided('broken_link', { by: seen, foundAt: place, detail });
  if (seen.symlink === 'escapes') return brokenLink(brokenLinkDetails.outside);
  const target = { ...place, path: seen.symlink.leadsTo };
  if (target.path === place.path) return brokenLink(brokenLinkDetails.itself);
  const led = observationOf(facts, target, look);
  // A single word is a symlink only if a file of that name exists.
  const { isGuess } = seen.symlink;
  if (led === undefined) {
    return { open: 'file', place: target, look, ...(isGuess ? { otherwise: judgeText(seen, place, null) } : {}) };
  }
  if (led.answer === 'absent') {
    return isGuess ? judgeText(seen, place, null) : brokenLink(brokenLinkDetails.missing(target.path));
  }
  if (led.answer !== 'text') return decided(noAnswerReasons[led.answer], { by: led });
  if (isCertainSymlink(led.symlink)) return brokenLink(brokenLinkDetails.chained(target.path));
  return judgeText(led, place, target.path);
}

function judgeText(seen: FileObservation, foundAt: CheckedPlace, viaSymlink: string | null): Decision {
  if (seen.measurement === null) {
    return decided('unexpected_content', { by: seen, detail: 'a text that was not measured' });
  }
  const { reasonCode, detail } = judgeMeasurement(seen.measurement);
  return decided(reasonCode, { by: seen, ...(detail === null ? { foundAt, viaSymlink } : { detail }) });
}

/** What a text is by itself. `detail`: why it cannot be judged. */
export function judgeMeasurement({ contentClass, truncated, visibleCodePoints, bytes }: FileMeasurement): {
  readonly reasonCode: ReasonCode;
  readonly detail: string | null;
} {
  // The rest of the file may contain enough.
  if (truncated && visibleCodePoints < VISIBLE_CODE_POINTS_NEEDED) {
    const detail = `the first ${bytes} bytes contain ${counted(visibleCodePoints, 'visible character')}, and the check reads no more`;
    return { reasonCode: 'unexpected_content', detail };
  }
  return { reasonCode: contentReasons[contentClass], detail: null };
}

const observationOf = (
  { files }: CheckFacts,
  place: CheckedPlace,
  look: FileObservation['look'],
): FileObservation | undefined => files.find((seen) => seen.look === look && isSamePlace(seen.place, place));

export const decided = (
  reasonCode: ReasonCode,
  rest: Partial<Omit<Decision, 'open' | 'reasonCode'>> = {},
): Decision => ({
  open: null,
  reasonCode,
  by: null,
  foundAt: null,
  viaSymlink: null,
  detail: null,
  ...rest,
});

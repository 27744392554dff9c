// What a change may do to a tenant's record, pure: later and repeated writers, ended, terminated and reset runs.
import type { FailedAttempt, OnboardingOutcome, OnboardingRecord } from '../onboarding/onboarding-record.ts';
import type { Onboarding } from '../onboarding/onboarding.ts';
import { Stage } from '../onboarding/stage.ts';
import type { AttemptRun, RecordEnd } from './register.ts';

/** See `note`; undefined if nothing changes. */
export function changed(
  kept: OnboardingRecord | undefined,
  run: AttemptRun,
  { stage: entered, verificationDeadline, ...made }: Partial<Onboarding>,
  checkedAt?: string,
): (OnboardingRecord & { at: string }) | undefined {
  if (kept === undefined || hasEndedElsewhere(kept, run)) return undefined;
  const { records = kept.onboarding.records, ...others } = made;
  // The end has the last check that its run knew.
  const onlyCreated = hasEnded(kept);
  const hasStopped = onlyCreated || isTerminated(kept, run);
  const mayEnter =
    !onlyCreated && (entered === undefined || (!hasStopped && !isLate(kept, run) && !isOver(kept, run, entered)));
  if (!mayEnter && Object.keys(onlyCreated ? others : made).length === 0) return undefined;
  const stage = (mayEnter ? entered : undefined) ?? kept.onboarding.stage;
  const { at, runId } = run;
  const enters = stage !== kept.onboarding.stage;
  const stages = enters ? [...kept.onboarding.stages, { stage, at }] : kept.onboarding.stages;
  const isVerified = enters && stage === Stage.creatingSender;
  // A Local Activity has the time of its Worker, a poll that of Temporal: the check that ends the wait is the last one.
  const isOld =
    onlyCreated || (!isVerified && checkedAt !== undefined && kept.checkedAt !== null && kept.checkedAt > checkedAt);
  const { stage: from, timesNotVerified } = kept.onboarding;
  const isRefused = enters && stage === Stage.awaitingDomain && from === Stage.creatingSender;
  return {
    ...kept,
    ...{ runId, at },
    ...(hasStopped ? {} : ({ outcome: 'running', endedAt: null } as const)),
    stagesEntered: isLate(kept, run) ? kept.stagesEntered : (run.stagesEntered ?? kept.stagesEntered),
    onboarding: {
      ...kept.onboarding,
      ...others,
      verificationDeadline: deadlineAfter(kept, run, mayEnter ? verificationDeadline : null),
      stage,
      stages,
      timesNotVerified: timesNotVerified + (isRefused ? 1 : 0),
      records: isOld ? kept.onboarding.records : records,
    },
    stageSince: enters ? at : kept.stageSince,
    waiting: enters ? null : kept.waiting,
    checkedAt: isOld ? kept.checkedAt : (checkedAt ?? kept.checkedAt),
    verifiedAt: isVerified ? (kept.verifiedAt ?? at) : kept.verifiedAt,
  };
}

export const newRecord = {
  outcome: 'running',
  result: null,
  failure: null,
  stagesEntered: 0,
  verifiedAt: null,
  endedAt: null,
  checkedAt: null,
  waiting: null,
  attention: null,
  reported: { causes: '', deadline: null },
} as const satisfies Partial<OnboardingRecord>;

/** A record at its end, or before the undo that precedes it. A termination keeps the failure whose undo it cut off. */
export function ending(
  kept: OnboardingRecord | undefined,
  end: Omit<RecordEnd, 'recordedRunId'>,
): OnboardingRecord & { at: string } {
  const same = kept?.attemptId === end.attemptId ? kept : undefined;
  const { at, outcome, failure } = end;
  const isSame = same?.outcome === outcome;
  return {
    ...(same ?? newRecord),
    ...end,
    failure: failure ?? (outcome === 'terminated' ? (same?.failure ?? null) : null),
    onboarding: withWhatIsKept(end.onboarding, same?.onboarding),
    stageSince: same?.onboarding.stage === end.onboarding.stage ? same.stageSince : at,
    endedAt: outcome === 'running' ? null : isSame ? (same.endedAt ?? at) : at,
    attention: isSame ? same.attention : null,
    waiting: null,
  };
}

/**
 * An onboarding at its end, with what its Workflow does not know: what the last check saw, because failed attempts of a poll leave
 * nothing in the Workflow, and what a Workflow Task created that was lost.
 */
function withWhatIsKept(ended: Onboarding, kept: Onboarding | undefined): Onboarding {
  if (kept === undefined) return ended;
  return {
    ...ended,
    senderId: ended.senderId ?? kept.senderId,
    emailId: ended.emailId ?? kept.emailId,
    records: kept.domainId === ended.domainId ? kept.records : ended.records,
  };
}

/** A termination undoes nothing, so a Reset may continue after it. */
const mayGoOn: readonly OnboardingOutcome[] = ['running', 'terminated'];

/** Not a cancellation: its Workflow Task, if repeated, is cancelled again. */
export const final: readonly OnboardingOutcome[] = ['onboarded', 'failed'];

export const hasEnded = ({ outcome }: OnboardingRecord): boolean => !mayGoOn.includes(outcome);

export const hasEndedElsewhere = (kept: OnboardingRecord, run: Pick<AttemptRun, 'attemptId' | 'runId'>): boolean =>
  kept.attemptId !== run.attemptId || (hasEnded(kept) && kept.runId !== run.runId);

/** An attempt under way when its run was terminated still adds what it created. Only another run, a Reset, continues. */
const isTerminated = (kept: OnboardingRecord, { runId }: AttemptRun): boolean =>
  kept.outcome === 'terminated' && kept.runId === runId;

/** An extension: within a run the deadline moves only forward, and a late attempt has the one before. */
export function deadlineAfter(
  { runId, onboarding }: OnboardingRecord,
  run: AttemptRun,
  deadline?: string | null,
): string | null {
  const { verificationDeadline: kept } = onboarding;
  if (deadline == null || (kept !== null && runId === run.runId && deadline < kept)) return kept;
  return deadline;
}

/** A frozen Worker may resume an attempt long after its run entered another stage. A Reset enters stages again. */
export const isLate = (kept: OnboardingRecord, { runId, stagesEntered }: AttemptRun): boolean =>
  stagesEntered !== undefined && kept.runId === runId && stagesEntered < kept.stagesEntered;

export const mayNote = (kept: OnboardingRecord, run: AttemptRun, failed: FailedAttempt | null): boolean =>
  !isLate(kept, run) &&
  !hasEndedElsewhere(kept, run) &&
  !hasEnded(kept) &&
  !isTerminated(kept, run) &&
  (failed === null || !isEarlier(failed, kept.waiting));

/** Of two attempts of one Activity. Clocks of Workers differ, and a step's regular Activity counts from 1 again. */
const isEarlier = (one: FailedAttempt, other: FailedAttempt | null): boolean =>
  one.activity === other?.activity && one.attempt < other.attempt && one.at < other.at;

/**
 * Once the undo has begun, no run executes another step: its resources may be gone. Nor does one that has ended, whose last Workflow
 * Task was lost and is repeated: the backend knows that end.
 */
export const isOver = (kept: OnboardingRecord, run: AttemptRun, stage: Stage): boolean =>
  hasEndedElsewhere(kept, run) ||
  final.includes(kept.outcome) ||
  (kept.onboarding.stage === Stage.undoing && stage !== Stage.undoing);

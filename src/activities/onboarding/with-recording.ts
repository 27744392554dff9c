import { activityInfo } from '@temporalio/activity';
import type { ApplicationFailure } from '@temporalio/common';
import { ONBOARDING_ENDED, type OnboardingEnded, onboardingEnded } from '../../onboarding/onboarding-ended.ts';
import type { OnboardingStart, OnboardingRecord } from '../../onboarding/onboarding-record.ts';
import { goesWithout, idsAfterWaitOf, keptOf, type Onboarding } from '../../onboarding/onboarding.ts';
import { Stage } from '../../onboarding/stage.ts';
import type { AttemptRun, RecordEnd, RecordUndo } from '../../onboarding/record-change.ts';
import {
  type CreatedIds,
  type StepName,
  stepRows,
  steps,
  type UndoableRow,
  undoableRows,
} from '../../onboarding/steps.ts';
import type { Register, Standing } from '../../store/onboarding/register.ts';
import type { StepInput } from './step-input.ts';
import { expectedFailure } from '../../lib/expected-failure.ts';

/** Additional input of the first step. */
export type Beginning = Pick<OnboardingStart, 'startedAt' | 'startedWith'> & { readonly onboarding: Onboarding };

type RecordedInput = StepInput & {
  readonly beginning?: Beginning;
  /** RFC 3339 UTC; of the domain wait. */
  readonly deadline?: string;
  /** RFC 3339 UTC, by Temporal's clock; of a check after a wake-up. @default the time of the attempt */
  readonly askedAt?: string;
};
type Activity = (input: never) => Promise<object | null>;

/** The stage that an Activity belongs to, and the one that the onboarding enters with this result of it. */
export interface StageOfActivity {
  readonly stage: Stage;
  readonly stageAfter?: (result: object, onboarding: Pick<Onboarding, 'withoutSteps'>) => Stage | undefined;
  /** Whether it still runs after its run has ended as onboarded, because a caller waits for its answer. */
  readonly mayOutlastRun?: boolean;
}

/** Stages of each step and its undo. */
export const stagesOfSteps = Object.fromEntries([
  ...stepRows.map(({ step, stage }) => {
    const following = steps.slice(steps.findIndex((row) => row.stage === stage) + 1);
    const stageAfter: StageOfActivity['stageAfter'] = (_result, onboarding) => {
      const next = following.find((row) => !goesWithout(onboarding, row))?.stage;
      // The domain wait has a deadline, which the Workflow sets.
      return next === Stage.awaitingDomain ? undefined : next;
    };
    return [step, { stage, stageAfter }];
  }),
  ...undoableRows.map((row) => [row.undoneBy, { stage: Stage.undoing }]),
]) as Record<StepName | UndoableRow['undoneBy'], StageOfActivity>;

/**
 * Wraps the Activities of an onboarding: each runs only if the record allows this run, and records what it created before
 * it returns. Otherwise a run that was reset after its undo would use a revoked key.
 */
export function withRecording<Activities extends Record<string, Activity>>(
  activities: Activities,
  stageOf: (name: keyof Activities) => StageOfActivity,
  register: Register,
): Activities {
  /** One write for what was made and for the next stage, which the next Activity then finds entered. */
  async function note(run: AttemptRun, made: Partial<Onboarding>, next: Stage | undefined, checkedAt?: string) {
    const { stagesEntered } = run;
    if (next !== undefined && stagesEntered !== undefined) {
      await register.note({ ...run, stagesEntered: stagesEntered + 1 }, { ...made, stage: next }, checkedAt);
    } else if (Object.keys(made).length > 0) {
      await register.note(run, made, checkedAt);
    }
  }

  const around =
    (activity: Activity, { stage, stageAfter, mayOutlastRun = false }: StageOfActivity) =>
    async (input: RecordedInput): Promise<object | null> => {
      const { beginning, deadline, askedAt } = input;
      const run = { ...runNow(input), ...(askedAt !== undefined && { at: askedAt }) };
      const standing =
        beginning === undefined
          ? await register.enter(run, stage, deadline)
          : await register.begin({ ...run, ...beginning });
      if (!(mayOutlastRun && isOnboardedBy(standing, run))) refuseUnlessCurrent(standing, run);
      const result = await activity(input as never);
      if (result === null) return null;
      const checkedAt = stage === Stage.awaitingDomain ? run.at : undefined;
      await note(run, keptOf(result), stageAfter?.(result, input), checkedAt);
      return result;
    };
  const wrapped = Object.entries(activities).map(([name, activity]) => [name, around(activity, stageOf(name))]);
  return Object.fromEntries(wrapped) as Activities;
}

export const recordActivities = ({ register }: { readonly register: Register }) => ({
  /** If another run of the onboarding recorded the end first, returns that end and keeps it. */
  async recordEnd(end: Omit<RecordEnd, 'runId' | 'at'>): Promise<({ message: string } & OnboardingEnded) | null> {
    const standing = await register.end({ ...end, ...runNow(end) });
    if (standing.kind === 'unknown') throw wrongDatabase(end.tenantId);
    return standing.kind === 'over' ? endedEarlier(standing.record, end) : null;
  },

  /** The end that another run recorded first, which it keeps; or what the record knows of steps whose Workflow Task was lost. */
  async recordUndo(
    undo: Omit<RecordUndo, 'runId' | 'at'>,
  ): Promise<{ earlier: ({ message: string } & OnboardingEnded) | null } & Partial<CreatedIds>> {
    const { kind, record } = await register.beginUndo({ ...undo, ...runNow(undo) });
    if (kind === 'unknown' || record === undefined) throw wrongDatabase(undo.tenantId);
    const earlier = kind === 'over' ? endedEarlier(record, undo) : null;
    return { earlier, ...idsAfterWaitOf(record.onboarding) };
  },
});

function endedEarlier(record: OnboardingRecord, step: Pick<StepInput, 'tenantId' | 'attemptId'>) {
  const { message, details } = onboardingEnded(record, runNow(step));
  return { message, ...details };
}

/** Undefined for an Activity that belongs to no onboarding. */
export function runOf({ tenantId, attemptId, ...step }: Partial<StepInput>): AttemptRun | undefined {
  if (tenantId === undefined || attemptId === undefined) return undefined;
  return runNow({ ...step, tenantId, attemptId });
}

export function runNow(step: StepInput): AttemptRun {
  const { workflowExecution, currentAttemptScheduledTimestampMs } = activityInfo();
  const at = new Date(currentAttemptScheduledTimestampMs).toISOString();
  const { tenantId, attemptId, stagesEntered, startedAt } = step;
  return {
    ...{ tenantId, attemptId, runId: workflowExecution?.runId ?? '', at },
    ...(stagesEntered !== undefined && { stagesEntered }),
    ...(startedAt !== undefined && { startedAt }),
  };
}

const isOnboardedBy = (standing: Standing, { attemptId, runId }: AttemptRun): boolean =>
  standing.kind === 'over' &&
  standing.record.outcome === 'onboarded' &&
  standing.record.attemptId === attemptId &&
  standing.record.runId === runId;

function refuseUnlessCurrent(standing: Standing, run: AttemptRun): void {
  if (standing.kind === 'over') {
    const { message, details } = onboardingEnded(standing.record, run);
    throw expectedFailure({ type: ONBOARDING_ENDED, nonRetryable: true, message, details: [details] });
  }
  if (standing.kind === 'unknown') throw wrongDatabase(run.tenantId);
}

const wrongDatabase = (tenantId: string): ApplicationFailure =>
  expectedFailure({
    type: 'WrongDatabase',
    message: `The database of this Worker (SENDOFF_DATABASE_URL) has no record of this onboarding of ${tenantId}, which began with another database or after its backup. Start this Worker with that database, or run: sendoff reconcile`,
  });

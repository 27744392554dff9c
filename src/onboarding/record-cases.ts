// The rule of the register: which changes of a tenant's record take effect, given who writes and what has happened meanwhile.
import type { OnboardingOutcome, OnboardingRecord } from './onboarding-record.ts';
import type { RecordChange, RecordWriter } from './record-change.ts';
import { firstStage, Stage } from './stage.ts';
import { stepRows } from './steps.ts';

/**
 * How much of a change takes effect, the strictest first. `over`: nothing, and the run must not continue. `unknown`: nothing, and the run
 * waits until the register has its onboarding. `created`: the ids of what a step created. `made`: also the records that a check saw, but
 * nothing of the progress.
 */
export const effects = ['over', 'unknown', 'nothing', 'created', 'made', 'all'] as const;
export type Effect = (typeof effects)[number];

interface RecordCase {
  readonly when: string;
  readonly holds: (kept: OnboardingRecord | undefined, by: RecordWriter, change: RecordChange) => boolean;
  /** Each kind that is not named here takes effect. */
  readonly leaves: Readonly<Partial<Record<RecordChange['kind'], Effect>>>;
}

const everyRun = { begin: 'over', enter: 'over', note: 'nothing', noteAttempt: 'nothing' } as const;

/** If several cases hold, the strictest effect counts. If none holds, as for a Reset, the whole change takes effect. */
export const recordCases = {
  absent: {
    when: 'the tenant has no record: the onboarding began with another database, or without one',
    holds: (kept) => kept === undefined,
    leaves: {
      ...{ enter: 'unknown', note: 'nothing', noteAttempt: 'nothing' },
      ...{ noteStuck: 'nothing', extend: 'nothing', watch: 'nothing', explain: 'nothing', addEvent: 'nothing' },
    },
  },
  lost: {
    when: 'the tenant has no record of the attempt, and the run that asks has recorded what its steps created: in another database, or before a restore',
    holds: (kept, by) => (kept === undefined || isEarlierAttempt(kept, by)) && isByRun(by) && hasCreated(by),
    leaves: { beginUndo: 'unknown', end: 'unknown' },
  },
  begun: {
    when: 'the first step, or another announcement, has recorded the attempt',
    holds: (kept, by) => isSameAttempt(kept, by),
    leaves: { announce: 'nothing' },
  },
  replaced: {
    when: 'the record is of a later attempt',
    holds: (kept, by) => isOtherAttempt(kept, by) && !isEarlierAttempt(kept, by),
    leaves: {
      ...{ ...everyRun, announce: 'nothing', adopt: 'nothing', noteStuck: 'nothing', extend: 'nothing' },
      ...{ beginUndo: 'over', end: 'over' },
    },
  },
  notBegun: {
    when: 'the record is of an earlier attempt: the first step of this one has not recorded it, or the database was restored',
    holds: (kept, by) => isEarlierAttempt(kept, by) && !(isByRun(by) && hasCreated(by)),
    leaves: { enter: 'unknown', note: 'nothing', noteAttempt: 'nothing', beginUndo: 'over', end: 'over' },
  },
  endedElsewhere: {
    when: 'another run of the attempt has ended: a Reset must not continue it, because its undo may have revoked what this run uses',
    holds: (kept, by) => isSameAttempt(kept, by) && hasEnded(kept) && kept.runId !== by.runId,
    leaves: { ...everyRun, adopt: 'nothing', extend: 'nothing', beginUndo: 'over', end: 'over' },
  },
  ended: {
    when: 'the run has succeeded or failed, which the backend knows; its last Workflow Task was lost and is repeated',
    holds: (kept, by) => isSameAttempt(kept, by) && final.includes(kept.outcome),
    leaves: {
      begin: 'over',
      adopt: 'nothing',
      enter: 'over',
      note: 'created',
      noteAttempt: 'created',
      beginUndo: 'over',
    },
  },
  cancelledTooLate: {
    when: 'the run has succeeded or failed, and the repetition of its lost Workflow Task was cancelled',
    holds: (kept, by) => isSameAttempt(kept, by) && final.includes(kept.outcome) && by.outcome === 'cancelled',
    leaves: { end: 'over' },
  },
  cancelled: {
    when: 'the run was cancelled; its last Workflow Task, if it is repeated, is cancelled again',
    holds: (kept, by) => isSameAttempt(kept, by) && kept.outcome === 'cancelled',
    leaves: { adopt: 'nothing', enter: 'nothing', note: 'created', noteAttempt: 'created', beginUndo: 'over' },
  },
  terminated: {
    when: 'the run was terminated while an Activity was under way; only another run, a Reset, continues',
    holds: (kept, by) => kept?.outcome === 'terminated' && kept.runId === by.runId,
    leaves: { adopt: 'nothing', enter: 'nothing', note: 'made', noteAttempt: 'made' },
  },
  undone: {
    when: 'the undo has begun, so what a step would use may be gone; a frozen Worker resumes a lost Workflow Task, or a Reset repeats it',
    holds: (kept, by, change) =>
      isSameAttempt(kept, by) && kept.onboarding.stage === Stage.undoing && isProgress(change),
    leaves: { begin: 'over', adopt: 'nothing', enter: 'over', note: 'made', end: 'over' },
  },
  late: {
    when: 'the run has entered another stage since: a frozen Worker resumes an attempt of an earlier one',
    holds: (kept, by) => isLate(kept, by),
    leaves: { adopt: 'nothing', enter: 'nothing', note: 'made', noteAttempt: 'made' },
  },
  reset: {
    when: 'the end of a run was looked up, and a Reset has continued the onboarding since',
    holds: (kept, by) => by.recordedRunId !== undefined && kept !== undefined && kept.runId !== by.recordedRunId,
    leaves: { end: 'over' },
  },
} as const satisfies Record<string, RecordCase>;

export type CaseName = keyof typeof recordCases;
const names = Object.keys(recordCases) as CaseName[];

export const casesOf = (kept: OnboardingRecord | undefined, change: RecordChange): CaseName[] =>
  names.filter((name) => recordCases[name].holds(kept, change.by, change));

export const effectOf = (cases: readonly CaseName[], { kind }: RecordChange): Effect =>
  effects.find((effect) => cases.some((name) => (recordCases[name] as RecordCase).leaves[kind] === effect)) ?? 'all';

const final: readonly OnboardingOutcome[] = ['onboarded', 'failed'];

/** A termination undoes nothing, so a Reset may continue after it. */
const hasEnded = ({ outcome }: OnboardingRecord): boolean => outcome === 'cancelled' || final.includes(outcome);

/** An end that was looked up in Temporal has entered no stage. */
const isByRun = ({ stagesEntered = 0 }: RecordWriter): boolean => stagesEntered > 0;

const hasCreated = ({ onboarding }: RecordWriter): boolean => stepRows.some(({ id }) => onboarding?.[id] != null);

const isSameAttempt = (kept: OnboardingRecord | undefined, by: RecordWriter): kept is OnboardingRecord =>
  kept !== undefined && kept.attemptId === by.attemptId;

const isOtherAttempt = (kept: OnboardingRecord | undefined, by: RecordWriter): kept is OnboardingRecord =>
  kept !== undefined && by.attemptId !== undefined && kept.attemptId !== by.attemptId;

/** Whether the record is of an attempt before that of the writer. */
const isEarlierAttempt = (kept: OnboardingRecord | undefined, by: RecordWriter): kept is OnboardingRecord =>
  isOtherAttempt(kept, by) && by.startedAt !== undefined && kept.startedAt <= by.startedAt;

/** A Reset enters stages again. */
export const isLate = (kept: OnboardingRecord | undefined, { runId, stagesEntered }: RecordWriter): boolean =>
  kept !== undefined && kept.runId === runId && stagesEntered !== undefined && stagesEntered < kept.stagesEntered;

/** Whether a change continues with a step, or ends with success. */
function isProgress(change: RecordChange): boolean {
  if (change.kind === 'end') return change.by.outcome === 'onboarded';
  const stage = change.kind === 'enter' || change.kind === 'note' ? change.made.stage : firstStage;
  return stage !== undefined && stage !== Stage.undoing;
}

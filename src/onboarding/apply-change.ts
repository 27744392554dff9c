import { attentionOfWatch } from './domain-watch.ts';
import { eventsOf, type NewEvent, withAttention } from './onboarding-events.ts';
import { explainedBy, unexplainedEmail } from './explained-bounce.ts';
import { newRecord, type OnboardingRecord } from './onboarding-record.ts';
import { hasLost, idsAfterWaitOf, type Onboarding } from './onboarding.ts';
import { type CaseName, casesOf, type Effect, effectOf, isLate } from './record-cases.ts';
import type { ChangeOf, RecordChange, RecordEnd, RecordStart } from './record-change.ts';
import { Stage, stagesAfterWait } from './stage.ts';

/** The record after the change, and its events; or the cases that forbid it: none if the record already says what the change does. */
export type Applied =
  | { readonly kind: 'changed'; readonly record: OnboardingRecord; readonly events: readonly NewEvent[] }
  | { readonly kind: 'unchanged' | 'unknown' | 'over'; readonly because: readonly CaseName[] };

export function applyChange(kept: OnboardingRecord | undefined, change: RecordChange): Applied {
  const because = casesOf(kept, change);
  const effect = effectOf(because, change);
  if (effect === 'over' || effect === 'unknown') return { kind: effect, because };
  const after = effect === 'nothing' ? undefined : changed(kept, change, effect);
  if (after === undefined) return { kind: 'unchanged', because };
  if (change.kind === 'addEvent') return { kind: 'changed', record: after, events: [change.event] };
  const record = withAttention(after, change.by.at);
  const { domain } = record.onboarding;
  const added = change.kind === 'watch' ? change.events : [];
  const events = [...eventsOf(kept, record), ...added.map(({ type, data }) => ({ type, data: { domain, ...data } }))];
  return { kind: 'changed', record, events };
}

/** Undefined if nothing changes. */
function changed(
  kept: OnboardingRecord | undefined,
  change: RecordChange,
  effect: Effect,
): OnboardingRecord | undefined {
  switch (change.kind) {
    case 'announce':
    case 'begin':
      return started(kept, change.by);
    case 'adopt':
      return adopted(kept, change.by);
    case 'beginUndo':
      return ended(kept, { ...change.by, outcome: 'running', result: null });
    case 'end':
      return ended(kept, change.by);
    case 'enter':
    case 'note':
      return kept && noted(kept, change, effect);
    case 'noteAttempt':
      return kept && attempted(kept, change, effect);
    case 'noteStuck':
      return kept && noteStuck(kept, change);
    case 'extend':
      return kept && extended(kept, change);
    case 'watch':
      return kept && watched(kept, change);
    case 'explain':
      return kept && explained(kept, change);
    case 'addEvent':
      return kept;
  }
}

function started(kept: OnboardingRecord | undefined, { at, ...start }: RecordStart): OnboardingRecord | undefined {
  if (kept?.attemptId !== start.attemptId) return { ...newRecord, ...start, stageSince: at };
  // Only the Workflow knows which steps it goes without, and the announcement had the time of another clock.
  const { stages, withoutSteps = kept.onboarding.withoutSteps } = start.onboarding;
  const onboarding = { ...kept.onboarding, ...(withoutSteps && { withoutSteps }) };
  if (kept.startedAt !== start.startedAt) return { ...kept, ...start, onboarding: { ...onboarding, stages } };
  return withoutSteps === kept.onboarding.withoutSteps ? undefined : { ...kept, onboarding };
}

/** What an execution knows of its onboarding, for a register that has lost it. How it will end is left to the run, which announces it. */
function adopted(kept: OnboardingRecord | undefined, { at, ...known }: RecordStart): OnboardingRecord | undefined {
  const before = kept?.attemptId === known.attemptId ? kept : undefined;
  const { onboarding } = known;
  if (before !== undefined && !hasLost(before.onboarding, onboarding)) return undefined;
  const { stages } = onboarding;
  const verifiedAt = stages.find(({ stage }) => stagesAfterWait.includes(stage))?.at ?? null;
  const { badEnd = null, undo = [] } = before?.onboarding ?? {};
  const whole = before === undefined ? onboarding : withWhatIsKept(onboarding, before.onboarding);
  const verificationDeadline =
    before === undefined
      ? onboarding.verificationDeadline
      : deadlineAfter(before, known.runId, onboarding.verificationDeadline);
  return {
    ...(before ?? newRecord),
    ...known,
    onboarding: { ...whole, verificationDeadline, badEnd, undo },
    stagesEntered: known.stagesEntered ?? 0,
    stageSince: stages.at(-1)?.at ?? at,
    verifiedAt: before?.verifiedAt ?? verifiedAt,
  };
}

function noted(
  kept: OnboardingRecord,
  { kind, by: run, made, checkedAt }: ChangeOf<'enter' | 'note'>,
  effect: Effect,
): OnboardingRecord | undefined {
  const { stage: entered, verificationDeadline, records, ...created } = made;
  const takesAll = effect === 'all';
  const seen = effect === 'created' ? undefined : records;
  const { stage: from, stages, timesNotVerified, verificationDeadline: before } = kept.onboarding;
  const stage = (takesAll ? entered : undefined) ?? from;
  const enters = stage !== from;
  const deadline = takesAll ? deadlineAfter(kept, run.runId, verificationDeadline) : before;
  if (kind === 'enter' && !enters && deadline === before) return undefined;
  if (!takesAll && seen === undefined && Object.keys(created).length === 0) return undefined;
  const isVerified = enters && stage === stagesAfterWait[0];
  const isRefused = stagesAfterWait.includes(from) && stage === Stage.awaitingDomain;
  const isLast = effect !== 'created' && (isVerified || !isOlderCheck(kept, checkedAt));
  return {
    ...{ ...kept, runId: run.runId },
    ...(takesAll && ({ outcome: 'running', endedAt: null } as const)),
    stagesEntered: isLate(kept, run) ? kept.stagesEntered : (run.stagesEntered ?? kept.stagesEntered),
    onboarding: {
      ...{ ...kept.onboarding, ...created },
      verificationDeadline: deadline,
      stage,
      stages: enters ? [...stages, { stage, at: run.at }] : stages,
      timesNotVerified: timesNotVerified + (isRefused ? 1 : 0),
      records: (isLast ? seen : undefined) ?? kept.onboarding.records,
    },
    ...(enters && { stageSince: run.at, waiting: null }),
    checkedAt: (isLast ? checkedAt : undefined) ?? kept.checkedAt,
    verifiedAt: kept.verifiedAt ?? (isVerified ? run.at : null),
  };
}

/** Within a run the deadline moves only forward: a late attempt has the one before an extension. */
function deadlineAfter(kept: OnboardingRecord, runId: string, asked: string | null = null): string | null {
  const { verificationDeadline: before } = kept.onboarding;
  if (asked === null) return before;
  return before !== null && kept.runId === runId && asked < before ? before : asked;
}

/** The first check of a wait has the time of its Worker, the others that of Temporal: the check that ends it is the last one, whatever its time. */
const isOlderCheck = ({ checkedAt }: OnboardingRecord, at: string | undefined): boolean =>
  at !== undefined && checkedAt !== null && checkedAt > at;

function attempted(
  kept: OnboardingRecord,
  { by, activity, failed, records }: ChangeOf<'noteAttempt'>,
  effect: Effect,
): OnboardingRecord | undefined {
  const made = records && { records: [...records] };
  const checked = made && noted(kept, { kind: 'note', by, made, checkedAt: by.at }, effect);
  const { waiting } = kept;
  // Clocks of Workers differ, and a step's regular Activity counts from 1 again.
  const isNews =
    failed === null
      ? waiting?.activity === activity
      : !(failed.activity === waiting?.activity && failed.attempt < waiting.attempt && failed.at < waiting.at);
  return effect === 'all' && isNews ? { ...(checked ?? kept), waiting: failed } : checked;
}

function noteStuck(kept: OnboardingRecord, { stuck }: ChangeOf<'noteStuck'>): OnboardingRecord | undefined {
  const isNews = kept.stuck?.since !== stuck?.since || kept.stuck?.message !== stuck?.message;
  return kept.outcome === 'running' && isNews ? { ...kept, stuck } : undefined;
}

function extended(kept: OnboardingRecord, { deadline }: ChangeOf<'extend'>): OnboardingRecord | undefined {
  const { stage, verificationDeadline } = kept.onboarding;
  const isWaiting = kept.outcome === 'running' && stage === Stage.awaitingDomain && verificationDeadline !== null;
  if (!isWaiting || deadline <= verificationDeadline) return undefined;
  return { ...kept, onboarding: { ...kept.onboarding, verificationDeadline: deadline } };
}

/** A record at its end, or before the undo that precedes it. A termination keeps the failure whose undo it cut off. */
function ended(kept: OnboardingRecord | undefined, { at, recordedRunId, ...end }: RecordEnd): OnboardingRecord {
  const { outcome, failure, onboarding } = end;
  const isSame = kept?.outcome === outcome;
  return {
    ...(kept ?? newRecord),
    ...end,
    failure: failure ?? (outcome === 'terminated' ? (kept?.failure ?? null) : null),
    onboarding: kept === undefined ? onboarding : withWhatIsKept(onboarding, kept.onboarding),
    stageSince: kept?.onboarding.stage === onboarding.stage ? kept.stageSince : at,
    endedAt: outcome === 'running' ? null : isSame ? (kept.endedAt ?? at) : at,
    attention: isSame ? kept.attention : null,
    waiting: null,
    stuck: null,
  };
}

/**
 * An onboarding as its Workflow knows it, with what that does not know: what the last check saw, because failed attempts of a poll leave
 * nothing in the Workflow, and what a Workflow Task created that was lost.
 */
const withWhatIsKept = (onboarding: Onboarding, kept: Onboarding): Onboarding => ({
  ...onboarding,
  ...idsAfterWaitOf(onboarding, kept),
  records: kept.domainId === onboarding.domainId ? kept.records : onboarding.records,
});

function explained(kept: OnboardingRecord, { emailId, bounce }: ChangeOf<'explain'>): OnboardingRecord | undefined {
  const { failure } = kept;
  if (failure === null || unexplainedEmail(failure) !== emailId) return undefined;
  return { ...kept, failure: explainedBy(failure, bounce) };
}

const watched = (kept: OnboardingRecord, { by, watched, records }: ChangeOf<'watch'>): OnboardingRecord => ({
  ...kept,
  attention: attentionOfWatch(watched),
  ...(records && { onboarding: { ...kept.onboarding, records }, checkedAt: by.at }),
});

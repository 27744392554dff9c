// The table of cases is what the rule does: over random sequences of changes by runs that are late, reset or frozen, each case leaves of
// a change what its row says, and what must never happen never does, whatever the table says.
import { describe, expect, test } from 'vitest';
import { type Applied, applyChange } from '../../src/onboarding/apply-change.ts';
import { unexplainedEmail } from '../../src/onboarding/explained-bounce.ts';
import type { OnboardingRecord } from '../../src/onboarding/onboarding-record.ts';
import {
  type CaseName,
  casesOf,
  type Effect,
  effectOf,
  effects,
  recordCases,
} from '../../src/onboarding/record-cases.ts';
import type { RecordChange } from '../../src/onboarding/record-change.ts';
import { Stage } from '../../src/onboarding/stage.ts';
import { randomChange } from '../support/random-changes.ts';
import { seededChances } from '../support/seeded-chances.ts';

interface Step {
  readonly kept: OnboardingRecord | undefined;
  readonly change: RecordChange;
  readonly applied: Applied;
  readonly cases: readonly CaseName[];
  readonly effect: Effect;
}

const SEQUENCES = 1_500;
const CHANGES = 16;
const sequences: Step[][] = Array.from({ length: SEQUENCES }, (_, seed) => {
  const chances = seededChances(seed + 1);
  let kept: OnboardingRecord | undefined;
  return Array.from({ length: CHANGES }, () => {
    const change = randomChange(chances);
    const applied = applyChange(kept, change);
    const cases = casesOf(kept, change);
    const step = { kept, change, applied, cases, effect: effectOf(cases, change) };
    if (applied.kind === 'changed') kept = applied.record;
    return step;
  });
});
const steps = sequences.flat();
const after = ({ kept, applied }: Step): OnboardingRecord | undefined =>
  applied.kind === 'changed' ? applied.record : kept;

const progressOf = ({ outcome, endedAt, waiting, onboarding, stageSince, verifiedAt }: OnboardingRecord) => {
  const { stage, stages, verificationDeadline, timesNotVerified, badEnd, undo } = onboarding;
  const entered = { stage, stages, verificationDeadline, timesNotVerified, stageSince, verifiedAt };
  return { outcome, endedAt, waiting, badEnd, undo, ...entered };
};
const seenBy = ({ onboarding: { records }, checkedAt }: OnboardingRecord) => ({ records, checkedAt });

/** What each effect promises, in words of the record. */
const promises: Record<Effect, (step: Step) => void> = {
  over: ({ applied }) => {
    expect(applied.kind).toBe('over');
  },
  unknown: ({ applied }) => {
    expect(applied.kind).toBe('unknown');
  },
  nothing: ({ applied }) => {
    expect(applied.kind).toBe('unchanged');
  },
  created: (step) => {
    expect(step.applied.kind).not.toBe('over');
    promises.made(step);
    if (step.kept !== undefined) expect(seenBy(after(step)!)).toEqual(seenBy(step.kept));
  },
  made: (step) => {
    const { kept, change } = step;
    expect(step.applied.kind).not.toBe('over');
    const record = after(step)!;
    expect(progressOf(record)).toEqual(progressOf(kept!));
    if (change.kind !== 'note') return;
    const { stage, records, verificationDeadline, ...created } = change.made;
    expect(record.onboarding).toMatchObject(created);
  },
  all: (step) => {
    const { change, applied } = step;
    expect(applied.kind).not.toBe('over');
    const record = after(step)!;
    switch (change.kind) {
      case 'announce':
      case 'begin': {
        const { attemptId, startedAt, runId } = change.by;
        const isSame = applied.kind === 'unchanged';
        expect(record).toMatchObject({ attemptId, startedAt, ...(isSame ? {} : { runId }) });
        break;
      }
      case 'adopt': {
        const { attemptId, onboarding } = change.by;
        const lost = (['keyId', 'webhookId', 'domainId', 'senderId', 'emailId'] as const).filter(
          (id) => onboarding[id] !== null && record.onboarding[id] === null,
        );
        expect({ attemptId: record.attemptId, lost }).toEqual({ attemptId, lost: [] });
        if (applied.kind === 'changed') expect(record.onboarding.stage).toBe(onboarding.stage);
        break;
      }
      case 'enter':
        expect(record.onboarding.stage).toBe(change.made.stage);
        break;
      case 'note': {
        const { records, ...others } = change.made;
        expect(record).toMatchObject({ outcome: 'running', endedAt: null, onboarding: others, runId: change.by.runId });
        break;
      }
      case 'noteAttempt':
        if (applied.kind === 'changed' && change.failed === null) expect(record.waiting).toBeNull();
        break;
      case 'noteStuck':
        if (record.outcome === 'running') expect(record.stuck).toEqual(change.stuck);
        break;
      case 'extend':
        if (applied.kind === 'changed') expect(record.onboarding.verificationDeadline).toBe(change.deadline);
        break;
      case 'beginUndo':
        expect(record).toMatchObject({
          outcome: 'running',
          failure: change.by.failure,
          onboarding: { stage: 'undoing' },
        });
        break;
      case 'end':
        expect(record.outcome).toBe(change.by.outcome);
        break;
      case 'watch':
        expect(
          record.attention === null || record.outcome !== 'running' || record.onboarding.stage === 'awaitingDomain',
        ).toBe(true);
        break;
      case 'explain':
        expect(unexplainedEmail(record.failure)).not.toBe(change.emailId);
        break;
      case 'addEvent':
        expect(applied).toMatchObject({ kind: 'changed', events: [change.event] });
        break;
    }
  },
};

test('each change has the strictest effect of the cases that hold', () => {
  for (const step of steps) {
    const { applied, cases, effect } = step;
    if (applied.kind !== 'changed') expect(applied.because).toEqual(cases);
    promises[effect](step);
  }
});

describe.each(Object.entries(recordCases))('%s', (name, { when, leaves }) => {
  test.each(Object.entries(leaves))(`when ${when}: %s has the effect %s`, (kind, effect) => {
    const held = steps.filter(({ change, cases }) => change.kind === kind && cases.includes(name as CaseName));
    const found = new Set(held.map((step) => step.effect));
    expect(found).toContain(effect);
    const stricter = effects.slice(0, effects.indexOf(effect) + 1);
    expect(stricter).toEqual(expect.arrayContaining([...found]));
  });
});

describe('whatever the table says', () => {
  const each = (check: (before: OnboardingRecord, record: OnboardingRecord, step: Step) => void) => {
    for (const step of steps) {
      const record = after(step);
      if (step.kept !== undefined && record?.attemptId === step.kept.attemptId) check(step.kept, record, step);
    }
  };
  const isFinal = ({ outcome }: OnboardingRecord) => outcome === 'onboarded' || outcome === 'failed';
  const hasEnded = (record: OnboardingRecord) => isFinal(record) || record.outcome === 'cancelled';

  test('an earlier attempt never replaces a later one', () => {
    for (const step of steps) {
      const record = after(step);
      if (step.kept === undefined || record?.attemptId === step.kept.attemptId) continue;
      expect(record?.startedAt !== undefined && record.startedAt >= step.kept.startedAt).toBe(true);
      expect(['announce', 'begin', 'adopt']).toContain(step.change.kind);
    }
  });

  test('an attempt that has ended stays ended, and only its own run changes how', () => {
    each((before, record, { change }) => {
      if (!hasEnded(before) || record.outcome === before.outcome) return;
      expect(change.kind).toBe('end');
      expect(record.runId).toBe(before.runId);
      expect(isFinal(before) && record.outcome === 'cancelled').toBe(false);
    });
  });

  test('only an end announces an end', () => {
    for (const { kept, change, applied } of steps) {
      if (applied.kind !== 'changed' || change.kind === 'end' || change.kind === 'beginUndo') continue;
      const ends = applied.events.filter(({ type }) => /\.(?:onboarded|failed|cancelled|terminated)$/.test(type));
      expect(ends, `${change.kind} after ${String(kept?.outcome)}`).toEqual([]);
    }
  });

  test('a run that was terminated does not continue; another one may', () => {
    each((before, record, { change }) => {
      if (before.outcome !== 'terminated' || record.outcome !== 'running' || change.kind === 'beginUndo') return;
      expect(record.runId).not.toBe(before.runId);
    });
  });

  test('no step and no success follows the beginning of an undo', () => {
    each(({ onboarding }, record, { change }) => {
      if (onboarding.stage !== Stage.undoing) return;
      expect([Stage.undoing, Stage.done]).toContain(record.onboarding.stage);
      if (change.kind === 'end' && change.by.outcome === 'onboarded') expect(record.onboarding.stage).toBe('undoing');
    });
  });

  test('what a run did before its latest stage changes neither the stage nor the deadline nor the attempt shown', () => {
    each((before, record, { change }) => {
      const isOfRun = change.kind === 'enter' || change.kind === 'note' || change.kind === 'noteAttempt';
      if (!isOfRun || change.by.runId !== before.runId) return;
      if ((change.by.stagesEntered ?? Infinity) < before.stagesEntered)
        expect(progressOf(record)).toEqual(progressOf(before));
    });
  });

  test('what a step created is kept, unless the attempt was replaced or another run has ended it', () => {
    each((before, record, { change }) => {
      if (change.kind !== 'note' || change.by.attemptId !== before.attemptId) return;
      if (hasEnded(before) && change.by.runId !== before.runId) return;
      const { stage, records, ...created } = change.made;
      expect(record.onboarding).toMatchObject(created);
    });
  });

  test('the end of a run that a Reset has continued is not recorded', () => {
    each((before, record, { change }) => {
      if (change.kind !== 'end' || change.by.recordedRunId === undefined) return;
      if (change.by.recordedRunId !== before.runId) expect(record).toEqual(before);
    });
  });

  test('within a run a deadline moves only forward', () => {
    each((before, record, { change }) => {
      if (change.kind === 'end' || change.kind === 'beginUndo' || record.runId !== before.runId) return;
      const [earlier, later] = [before.onboarding.verificationDeadline, record.onboarding.verificationDeadline];
      if (earlier !== null) expect(later !== null && later >= earlier).toBe(true);
    });
  });
});

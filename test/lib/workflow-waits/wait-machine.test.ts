import { describe, expect, test } from 'vitest';
import { nextWakeUpAt, paceAfterWakeUp, restingPace } from '../../../src/lib/workflow-waits/wake-up-pace.ts';
import { afterEvent, beginWait, shouldWake, type WaitFacts } from '../../../src/lib/workflow-waits/wait-machine.ts';

const HOUR_MS = 3_600_000;
const facts = (changes: Partial<WaitFacts> = {}): WaitFacts => ({
  now: 0,
  wakeUps: 0,
  deadline: HOUR_MS,
  ...changes,
});

/** The second round, after a wake-up at `now` ended the first. */
function secondRound(now: number) {
  const notified = afterEvent(beginWait(facts()), 'changed', facts({ now, wakeUps: 1 }));
  const unanswered = afterEvent(notified, 'unanswered', facts({ now, wakeUps: 1 }));
  return afterEvent(unanswered, 'cancelled', facts({ now, wakeUps: 1 }));
}

describe('a wait', () => {
  test('does not poll when its deadline has passed at the start', () => {
    expect(beginWait(facts({ now: HOUR_MS })).phase).toBe('expired');
  });

  test('polls until the deadline; the first wake-up makes it check, and without an answer starts another round', () => {
    const begun = beginWait(facts());
    expect(begun).toMatchObject({ phase: 'polling', round: 1, until: HOUR_MS });
    const checking = afterEvent(begun, 'changed', facts({ now: 1_000, wakeUps: 1 }));
    expect(checking.phase).toBe('checking');
    expect(afterEvent(checking, 'answered', facts({ now: 1_001, wakeUps: 1 })).phase).toBe('answered');
    expect(afterEvent(checking, 'failed', facts({ now: 1_001, wakeUps: 1 })).phase).toBe('failed');
    expect(afterEvent(checking, 'unanswered', facts({ now: 1_001, wakeUps: 1 })).phase).toBe('cancelling');
    expect(secondRound(1_000)).toMatchObject({ phase: 'polling', round: 2, until: HOUR_MS });
  });

  test('goes on with the same poll after a check that found no answer yet, and looks again once, a minute later', () => {
    const woken = facts({ now: 1_000, wakeUps: 1 });
    const checking = afterEvent(beginWait(facts()), 'changed', woken);
    const waiting = afterEvent(checking, 'notYet', woken);
    expect(waiting).toMatchObject({ phase: 'polling', round: 1, until: 61_000 });
    expect(shouldWake(waiting, woken)).toBe(false);
    const again = afterEvent(waiting, 'timeReached', facts({ now: 61_000, wakeUps: 1 }));
    expect(again.phase).toBe('checking');
    const last = afterEvent(again, 'notYet', facts({ now: 61_000, wakeUps: 1 }));
    expect(last).toMatchObject({ phase: 'polling', round: 1, until: HOUR_MS });
    expect(afterEvent(last, 'timeReached', facts({ now: HOUR_MS, wakeUps: 1 })).phase).toBe('cancelling');
  });

  test('checks again after a wake-up that arrives during a check, and begins a round after a deadline that moves then', () => {
    const checking = afterEvent(beginWait(facts()), 'changed', facts({ now: 1_000, wakeUps: 1 }));
    const twice = facts({ now: 2_000, wakeUps: 2 });
    const waiting = afterEvent(checking, 'notYet', twice);
    expect(shouldWake(waiting, twice)).toBe(true);
    expect(afterEvent(waiting, 'changed', twice)).toMatchObject({ phase: 'merging', until: 7_000 });
    const moved = facts({ now: 2_000, wakeUps: 1, deadline: 2 * HOUR_MS });
    const extended = afterEvent(checking, 'notYet', moved);
    expect(shouldWake(extended, moved)).toBe(true);
    expect(afterEvent(extended, 'changed', facts({ ...moved, now: 6_000 })).phase).toBe('merging');
    expect(afterEvent(extended, 'changed', facts({ ...moved, now: 7_000 })).phase).toBe('cancelling');
  });

  test('looks again at its time, although a wake-up or a moved deadline waits for longer in a storm', () => {
    const storm = { lastAt: 0, level: 12 };
    const checking = { ...afterEvent(beginWait(facts()), 'changed', facts({ now: 1_000, wakeUps: 1 })), pace: storm };
    const waiting = afterEvent(checking, 'notYet', facts({ now: 1_000, wakeUps: 1 }));
    const merging = afterEvent(waiting, 'changed', facts({ now: 11_000, wakeUps: 2 }));
    expect(merging).toMatchObject({ phase: 'merging', until: 61_000 });
    const again = afterEvent(merging, 'timeReached', facts({ now: 61_000, wakeUps: 2 }));
    expect(again.phase).toBe('checking');
    const last = afterEvent(again, 'notYet', facts({ now: 61_000, wakeUps: 2 }));
    expect(last).toMatchObject({ phase: 'polling', until: HOUR_MS });
    // The other wake-up has its own check, and look, in its turn.
    const pending = facts({ now: 61_000, wakeUps: 2 });
    expect(shouldWake(last, pending)).toBe(true);
    const { pace } = last;
    expect(afterEvent(last, 'changed', pending)).toMatchObject({ phase: 'merging', until: nextWakeUpAt(pace) });
    const due = afterEvent(afterEvent(last, 'changed', pending), 'timeReached', {
      ...pending,
      now: nextWakeUpAt(pace),
    });
    expect(due).toMatchObject({ phase: 'checking', looksAgainAt: Infinity });
    const moved = afterEvent(waiting, 'changed', facts({ now: 11_000, wakeUps: 1, deadline: 2 * HOUR_MS }));
    expect(afterEvent(moved, 'timeReached', facts({ now: 61_000, wakeUps: 1, deadline: 2 * HOUR_MS })).phase).toBe(
      'checking',
    );
  });

  test('gives a wake-up its own second look, although its check ends after the time of the one before', () => {
    const first = afterEvent(beginWait(facts()), 'changed', facts({ now: 0, wakeUps: 1 }));
    const waiting = afterEvent(first, 'notYet', facts({ now: 0, wakeUps: 1 }));
    const second = afterEvent(waiting, 'changed', facts({ now: 59_000, wakeUps: 2 }));
    expect(second.phase).toBe('checking');
    const late = facts({ now: 60_200, wakeUps: 2 });
    expect(afterEvent(second, 'notYet', late)).toMatchObject({ looksAgainAt: 120_200, pace: { lastAt: 60_200 } });
  });

  test('looks again at once when a wake-up that must wait comes with the time of the look', () => {
    const first = afterEvent(beginWait(facts()), 'changed', facts({ now: 0, wakeUps: 1 }));
    const waiting = { ...afterEvent(first, 'notYet', facts({ now: 0, wakeUps: 1 })), pace: { lastAt: 0, level: 12 } };
    expect(afterEvent(waiting, 'changed', facts({ now: 60_000, wakeUps: 2 })).phase).toBe('checking');
  });

  test('does not look again after its deadline, which ends a check without an answer, too', () => {
    const woken = facts({ now: HOUR_MS - 1_000, wakeUps: 1 });
    const checking = afterEvent(beginWait(facts()), 'changed', woken);
    expect(afterEvent(checking, 'notYet', woken)).toMatchObject({ until: HOUR_MS });
    expect(afterEvent(checking, 'notYet', facts({ now: HOUR_MS, wakeUps: 1 })).phase).toBe('cancelling');
  });

  test('ends with an answer that was in flight when its round was cancelled, also after the deadline', () => {
    const late = facts({ now: HOUR_MS + 1 });
    const cancelled = afterEvent(beginWait(facts()), 'timeReached', late);
    expect(cancelled.phase).toBe('cancelling');
    expect(afterEvent(cancelled, 'answered', late).phase).toBe('answered');
    expect(afterEvent(cancelled, 'cancelled', late).phase).toBe('expired');
  });

  test('fails when something else cancels its poll', () => {
    expect(afterEvent(beginWait(facts()), 'cancelled', facts()).phase).toBe('failed');
  });

  test('delays a wake-up three seconds after the last by two more, and ignores others meanwhile', () => {
    const merging = afterEvent(secondRound(1_000), 'changed', facts({ now: 4_000, wakeUps: 2 }));
    expect(merging).toMatchObject({ phase: 'merging', until: 6_000 });
    expect(shouldWake(merging, facts({ now: 5_000, wakeUps: 9 }))).toBe(false);
    const due = afterEvent(merging, 'timeReached', facts({ now: 6_000, wakeUps: 9 }));
    expect(due.phase).toBe('checking');
    const unanswered = afterEvent(due, 'unanswered', facts({ now: 6_000, wakeUps: 9 }));
    const next = afterEvent(unanswered, 'cancelled', facts({ now: 6_000, wakeUps: 9 }));
    expect(shouldWake(next, facts({ now: 6_001, wakeUps: 9 }))).toBe(false);
  });

  test('never delays a wake-up past the deadline, and follows a deadline that moves meanwhile', () => {
    const second = secondRound(HOUR_MS - 2_000);
    const merging = afterEvent(second, 'changed', facts({ now: HOUR_MS - 1_000, wakeUps: 2 }));
    expect(merging).toMatchObject({ phase: 'merging', until: HOUR_MS });
    const moved = facts({ now: HOUR_MS - 500, wakeUps: 2, deadline: 2 * HOUR_MS });
    expect(shouldWake(merging, moved)).toBe(true);
    expect(afterEvent(merging, 'changed', moved)).toMatchObject({ phase: 'merging', until: HOUR_MS + 3_000 });
  });
});

describe('the pace of wake-ups', () => {
  /** The intervals of a storm, in seconds. */
  function stormOf(wakeUps: number): number[] {
    let pace = paceAfterWakeUp(restingPace, 0);
    const intervals: number[] = [];
    while (intervals.length < wakeUps) {
      const at = nextWakeUpAt(pace);
      intervals.push((at - pace.lastAt) / 1_000);
      pace = paceAfterWakeUp(pace, at);
    }
    return intervals;
  }

  test('allows the few of an onboarding every five seconds, then doubles up to twelve hours', () => {
    expect(stormOf(8)).toEqual([5, 5, 5, 5, 5, 10, 20, 40]);
    expect(stormOf(40).at(-1)).toBe(12 * 3_600);
  });

  test('falls by one level for each quiet hour', () => {
    let pace = restingPace;
    for (let sent = 0; sent < 10; sent++) pace = paceAfterWakeUp(pace, sent === 0 ? 0 : nextWakeUpAt(pace));
    expect(pace.level).toBe(10);
    expect(paceAfterWakeUp(pace, pace.lastAt + 3.5 * HOUR_MS).level).toBe(8);
    expect(paceAfterWakeUp(pace, pace.lastAt + 100 * HOUR_MS).level).toBe(1);
  });
});

import { describe, expect, test } from 'vitest';
import { nextHintAt, paceAfterHint, restingPace } from '../../../src/lib/waiting/notification-pace.ts';
import { afterEvent, beginWait, hasNews, type WaitFacts } from '../../../src/lib/waiting/wait-machine.ts';

const HOUR_MS = 3_600_000;
const facts = (changes: Partial<WaitFacts> = {}): WaitFacts => ({ now: 0, pokes: 0, deadline: HOUR_MS, ...changes });

/** A round that a poke at `now` ended. */
function afterOnePoke(now: number) {
  const begun = beginWait(facts());
  const poked = afterEvent(begun.state, 'changed', facts({ now, pokes: 1 }));
  return afterEvent(poked.state, 'endedByCancel', facts({ now, pokes: 1 }));
}

describe('a wait', () => {
  test('whose deadline has passed at its beginning asks nobody', () => {
    expect(beginWait(facts({ now: HOUR_MS })).command).toEqual({ type: 'expire' });
  });

  test('begins with a round until the deadline; the first hint ends it and another begins', () => {
    const begun = beginWait(facts());
    expect(begun.command).toEqual({ type: 'startRound', round: 1, until: HOUR_MS });
    const poked = afterEvent(begun.state, 'changed', facts({ now: 1_000, pokes: 1 }));
    expect(poked.command).toEqual({ type: 'cancelRound' });
    expect(afterOnePoke(1_000).command).toEqual({ type: 'startRound', round: 2, until: HOUR_MS });
  });

  test('an answer that was in flight when its round was cancelled ends the wait, also after the deadline', () => {
    const late = facts({ now: HOUR_MS + 1 });
    const cancelled = afterEvent(beginWait(facts()).state, 'timeReached', late);
    expect(cancelled.command).toEqual({ type: 'cancelRound' });
    expect(afterEvent(cancelled.state, 'answered', late).command).toEqual({ type: 'finish' });
    expect(afterEvent(cancelled.state, 'endedByCancel', late).command).toEqual({ type: 'expire' });
  });

  test('a poll that is cancelled by nobody here ends the wait as failed', () => {
    expect(afterEvent(beginWait(facts()).state, 'endedByCancel', facts()).command).toEqual({ type: 'fail' });
  });

  test('a hint three seconds after the last waits two more, others meanwhile change nothing', () => {
    const { state } = afterOnePoke(1_000);
    const merging = afterEvent(state, 'changed', facts({ now: 4_000, pokes: 2 }));
    expect(merging.command).toEqual({ type: 'sleepUntil', until: 6_000 });
    expect(hasNews(merging.state, facts({ now: 5_000, pokes: 9 }))).toBe(false);
    const due = afterEvent(merging.state, 'timeReached', facts({ now: 6_000, pokes: 9 }));
    expect(due.command).toEqual({ type: 'cancelRound' });
    const next = afterEvent(due.state, 'endedByCancel', facts({ now: 6_000, pokes: 9 }));
    expect(hasNews(next.state, facts({ now: 6_001, pokes: 9 }))).toBe(false);
  });

  test('a hint too soon never sleeps past the deadline, and a deadline that moves meanwhile is heard', () => {
    const { state } = afterOnePoke(HOUR_MS - 2_000);
    const merging = afterEvent(state, 'changed', facts({ now: HOUR_MS - 1_000, pokes: 2 }));
    expect(merging.command).toEqual({ type: 'sleepUntil', until: HOUR_MS });
    const moved = facts({ now: HOUR_MS - 500, pokes: 2, deadline: 2 * HOUR_MS });
    expect(hasNews(merging.state, moved)).toBe(true);
    expect(afterEvent(merging.state, 'changed', moved).command).toEqual({
      type: 'sleepUntil',
      until: HOUR_MS + 3_000,
    });
  });

  test('that is over takes no event more', () => {
    const { state } = afterEvent(beginWait(facts()).state, 'answered', facts());
    expect(() => afterEvent(state, 'timeReached', facts())).toThrow('The wait is over');
  });
});

describe('the pace of hints', () => {
  /** Distances between the hints acted on in a storm, in seconds. */
  function stormOf(hints: number): number[] {
    let pace = paceAfterHint(restingPace, 0);
    const distances: number[] = [];
    while (distances.length < hints) {
      const at = nextHintAt(pace);
      distances.push((at - pace.lastAt) / 1_000);
      pace = paceAfterHint(pace, at);
    }
    return distances;
  }

  test('is five seconds for the few of an onboarding, then doubles up to twelve hours', () => {
    expect(stormOf(8)).toEqual([5, 5, 5, 5, 5, 10, 20, 40]);
    expect(stormOf(40).at(-1)).toBe(12 * 3_600);
  });

  test('takes one step back for each quiet hour', () => {
    let pace = restingPace;
    for (let hint = 0; hint < 10; hint++) pace = paceAfterHint(pace, hint === 0 ? 0 : nextHintAt(pace));
    expect(pace.level).toBe(10);
    expect(paceAfterHint(pace, pace.lastAt + 3.5 * HOUR_MS).level).toBe(8);
    expect(paceAfterHint(pace, pace.lastAt + 100 * HOUR_MS).level).toBe(1);
  });
});

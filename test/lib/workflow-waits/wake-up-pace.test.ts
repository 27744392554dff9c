import { expect, test } from 'vitest';
import { nextWakeUpAt, paceAfterWakeUp, restingPace } from '../../../src/lib/workflow-waits/wake-up-pace.ts';

const MINUTE_MS = 60_000;
const DAYS = 30;

/** As the receiver of webhooks and the waiting Workflow act on wake-ups that never stop, `pauseMs` after each may come. */
function wakeUpsOf(pauseMs: number): number {
  let pace = restingPace;
  let count = 0;
  for (let now = 0; now < DAYS * 24 * 60 * MINUTE_MS; count += 1) {
    pace = paceAfterWakeUp(pace, now);
    now = Math.max(nextWakeUpAt(pace), now + pauseMs);
  }
  return count;
}

test.each([0, 0.1, 1, 10, 30, 59, 60, 61, 120, 240])(
  'webhooks every %s minutes for the longest window become at most 750 wake-ups',
  (minutes) => {
    expect(wakeUpsOf(minutes * MINUTE_MS)).toBeLessThanOrEqual(750);
  },
);

import { expect, test } from 'vitest';
import { errorAnswer } from '../../../src/email-provider/adapters/sendoff/error-answer.ts';
import { ProviderUnreachable } from '../../../src/email-provider/provider-error.ts';
import { withOnboardings } from '../../support/onboarding-environment.ts';

const HOUR_MS = 3_600_000;
/** Measured: 63 events without a pause, and 93 with, for any length of the outage. The server ends a Workflow at 51,200. */
const EVENTS_MAX = 100;

test.each([
  ['does not answer', 0.5, (call: string) => new ProviderUnreachable(call, 'ECONNREFUSED')],
  ['asks for pauses of an hour', 20, (call: string) => errorAnswer(call, { httpStatus: 503, retryAfterMs: HOUR_MS })],
])('a provider that %s, for %d hours in each step, costs a bounded number of events', async (_, hours, failure) => {
  await withOnboardings(
    (clock) => {
      const begunAt = new Map<string, number>();
      return {
        before: async (call) => {
          const now = await clock();
          const since = begunAt.get(call) ?? now;
          begunAt.set(call, since);
          if (now - since < hours * HOUR_MS) throw failure(call);
        },
      };
    },
    async ({ start, history, scripted }) => {
      const handle = await start();
      await handle.result();
      expect(scripted.count('sendEmail')).toBeGreaterThan(hours);
      expect((await history(handle)).events).toBeLessThanOrEqual(EVENTS_MAX);
    },
  );
});

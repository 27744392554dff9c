// A real server, whose times are compared with its own: the clock of the process that asks is minutes off.
import { expect, test } from 'vitest';
import { createEndedOnboardings } from '../../../src/client/onboarding/ended-onboardings.ts';
import { runningWithoutRecord } from '../../../src/client/upkeep/unmatched-onboardings.ts';
import { CHECKS_AT_ONCE } from '../../../src/onboarding/check-allowance.ts';
import { checkNowUpdate, onboardingStateQuery } from '../../../src/workflows/messages.ts';
import { withClockOff } from '../../support/clock-off.ts';
import { inputOf, manyOnboardings } from '../../support/onboarding-environment.ts';

const MINUTE_MS = 60_000;

test('starts, ends and allowances of onboardings are judged by the clock of the server', async () => {
  await manyOnboardings({ verified: () => false }, async ({ server, start, onboardings }) => {
    const { client } = server.environment;
    const handle = await start(inputOf('one'));
    await expect.poll(async () => (await client.workflow.count('ExecutionStatus = "Running"')).count).toBe(1);
    const unrecorded = await withClockOff(5 * MINUTE_MS, () =>
      runningWithoutRecord(client, { get: async () => undefined }, 10),
    );
    expect(unrecorded, 'it has just begun').toEqual([]);

    const stage = async () => (await handle.query(onboardingStateQuery)).stage;
    await expect.poll(stage, { timeout: 20_000 }).toBe('awaitingDomain');
    for (let group = 0; group < CHECKS_AT_ONCE / 6; group += 1)
      await Promise.all(Array.from({ length: 6 }, () => handle.executeUpdate(checkNowUpdate)));
    for (const minutes of [-20, 20]) {
      const outcome = await withClockOff(minutes * MINUTE_MS, () => onboardings.checkNow('one', async () => undefined));
      expect(outcome).toMatchObject({ kind: 'tooSoon' });
      const { waitMs } = outcome as { waitMs: number };
      expect([minutes, waitMs > 58 * MINUTE_MS, waitMs < 61 * MINUTE_MS]).toEqual([minutes, true, true]);
    }

    await handle.terminate();
    const terminated = () => withClockOff(15 * MINUTE_MS, () => createEndedOnboardings(client).recentlyTerminated(10));
    await expect.poll(terminated, { timeout: 10_000 }).toEqual(['one']);
  });
});

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { wakeUpInWait } from '../../../src/client/onboarding/wake-up-in-wait.ts';
import { Stage } from '../../../src/onboarding/stage.ts';
import { beginOnboarding } from '../../support/begin-onboarding.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';

let opened: TestRegister;
let signals: string[];
/** What Temporal answers. */
let runs: boolean;
beforeEach(async () => {
  opened = await openTestRegister();
  signals = [];
  runs = true;
  await beginOnboarding(opened.register, 'acme');
});
afterEach(() => opened.end());

const receive = (eventId: string, register: Pick<TestRegister['register'], 'get'> = opened.register) =>
  wakeUpInWait({
    register,
    onboardings: {
      wakeUp: async (_tenantId, wakeUp) => {
        signals.push(wakeUp.eventId);
        return runs;
      },
    },
  })('acme', { eventId, type: 'email.delivered' });

const enter = (stage: Stage) => {
  const runId = 'attempt-of-acme';
  return opened.register.enter({ tenantId: 'acme', attemptId: runId, runId, at: new Date().toISOString() }, stage);
};

describe('a wake-up', () => {
  test.each([Stage.awaitingDomain, Stage.awaitingDelivery])('is sent at once in the stage %s', async (stage) => {
    await enter(stage);
    const reads = vi.spyOn(opened.register, 'get');
    expect(await receive('evt_1')).toBe(true);
    expect(signals).toEqual(['evt_1']);
    expect(reads).toHaveBeenCalledTimes(1);
  });

  test('that arrives during a step is held until the onboarding waits', async () => {
    await enter(Stage.sendingFirstEmail);
    const reads = vi.spyOn(opened.register, 'get');
    const received = receive('evt_1');
    await vi.waitUntil(() => reads.mock.calls.length >= 3);
    expect(signals).toEqual([]);
    await enter(Stage.awaitingDelivery);
    expect(await received).toBe(true);
    expect(signals).toEqual(['evt_1']);
  });

  test('that arrives during the last step is sent after the end, which Temporal then knows', async () => {
    await enter(Stage.sendingFirstEmail);
    const reads = vi.spyOn(opened.register, 'get');
    const received = receive('evt_1');
    await vi.waitUntil(() => reads.mock.calls.length >= 2);
    await enter(Stage.awaitingDelivery);
    await vi.waitUntil(() => reads.mock.calls.length >= 3);
    runs = false;
    expect(await received).toBe(false);
    expect(signals).toEqual(['evt_1']);
  });

  test('is sent all the same if the step takes longer', async () => {
    await enter(Stage.creatingSender);
    expect(await receive('evt_1')).toBe(true);
    expect(signals).toEqual(['evt_1']);
  });

  test.each([
    ['cannot be read', async () => Promise.reject(new Error('the database is down'))],
    ['has no record of the tenant', async () => undefined],
  ])('is sent at once if the register %s', async (_what, get) => {
    expect(await receive('evt_1', { get })).toBe(true);
    expect(signals).toEqual(['evt_1']);
  });
});

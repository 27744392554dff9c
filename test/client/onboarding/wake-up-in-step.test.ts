import { expect, test } from 'vitest';
import { Stage } from '../../../src/onboarding/stage.ts';
import { inputOf, manyOnboardings } from '../../support/onboarding-environment.ts';

test('a wake-up signals the Workflow in a wait and after it, but not in a step, whose wait begins with a check', async () => {
  let isHeld = false;
  let letGo = (): void => undefined;
  const released = new Promise<void>((resolve) => (letGo = resolve));
  const before = async (call: string): Promise<void> => {
    if (call !== 'createWebhook') return;
    isHeld = true;
    await released;
  };
  await manyOnboardings({ before, verified: () => false }, async ({ start, scripted, onboardings, views }) => {
    const handle = await start(inputOf('acme'));
    await expect.poll(() => isHeld).toBe(true);
    expect(await onboardings.wakeUp('acme', { eventId: 'evt_1', type: 'domain.verified' })).toBe(true);
    letGo();
    await expect.poll(async () => (await views.get('acme'))?.stage).toBe(Stage.awaitingDomain);
    scripted.script.verified = () => true;
    expect(await onboardings.wakeUp('acme', { eventId: 'evt_2', type: 'domain.verified' })).toBe(true);
    await handle.result();
    const events = (await handle.fetchHistory()).events ?? [];
    expect(events.filter(({ workflowExecutionSignaledEventAttributes: signal }) => signal)).toHaveLength(1);
    await expect.poll(() => onboardings.wakeUp('acme', { eventId: 'evt_3', type: 'email.delivered' })).toBe(false);
  });
});

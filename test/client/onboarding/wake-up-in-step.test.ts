import { expect, test } from 'vitest';
import { Stage } from '../../../src/onboarding/stage.ts';
import { heldCalls } from '../../support/held-calls.ts';
import { inputOf, manyOnboardings } from '../../support/onboarding-environment.ts';

test('a wake-up signals the Workflow in a wait and after it, but not in a step, whose wait begins with a check', async () => {
  const step = heldCalls((call) => call === 'createWebhook');
  await manyOnboardings(
    { before: step.hold, verified: () => false },
    async ({ start, scripted, onboardings, views }) => {
      const handle = await start(inputOf('acme'));
      await step.untilHeld();
      expect(await onboardings.wakeUp('acme', { eventId: 'evt_1', type: 'domain.verified' })).toBe(true);
      step.letGo();
      await expect.poll(async () => (await views.get('acme'))?.stage).toBe(Stage.awaitingDomain);
      scripted.script.verified = () => true;
      expect(await onboardings.wakeUp('acme', { eventId: 'evt_2', type: 'domain.verified' })).toBe(true);
      await handle.result();
      const events = (await handle.fetchHistory()).events ?? [];
      expect(events.filter(({ workflowExecutionSignaledEventAttributes: signal }) => signal)).toHaveLength(1);
      await expect.poll(() => onboardings.wakeUp('acme', { eventId: 'evt_3', type: 'email.delivered' })).toBe(false);
    },
  );
});

// On the real server: Reset, the button that the Temporal UI offers on every Workflow.
import type { WorkflowHandle } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { OnboardingView } from '../../../src/client/onboarding/onboarding-view.ts';
import { onboardingWorkflowId } from '../../../src/onboarding/onboarding-ids.ts';
import { onboardingStateQuery } from '../../../src/workflows/messages.ts';
import { Stage } from '../../../src/onboarding/stage.ts';
import { manyOnboardings, type OnboardingEnvironment, validInput } from '../../support/onboarding-environment.ts';
import { bounce, failing, noAnswer, type Script } from '../../support/scripted-provider.ts';

/** The ids of the events that a run can be reset to, oldest first. */
async function resetPointsOf(handle: WorkflowHandle): Promise<number[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ eventId, workflowTaskCompletedEventAttributes }) =>
    workflowTaskCompletedEventAttributes ? [Number(eventId)] : [],
  );
}

/** Resolves with a handle on the run that the reset has started. */
async function reset(
  { server: { environment, namespace } }: OnboardingEnvironment,
  runId: string,
  workflowTaskFinishEventId: number,
): Promise<{ handle: WorkflowHandle; runId: string }> {
  const workflowId = onboardingWorkflowId('acme');
  const { client } = environment;
  const started = await client.workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId, runId },
    reason: 'an operator pressed Reset',
    workflowTaskFinishEventId: workflowTaskFinishEventId as never,
    requestId: randomUUID(),
  });
  return { handle: client.workflow.getHandle(workflowId, started.runId), runId: started.runId };
}

const untilOutcome = (environment: OnboardingEnvironment, outcome: OnboardingView['outcome']): Promise<void> =>
  expect.poll(async () => (await environment.viewOf()).outcome, { timeout: 20_000 }).toBe(outcome);
/** The register may still have the stage of the run before a reset. */
const untilStage = ({ server }: OnboardingEnvironment, stage: Stage): Promise<void> =>
  expect
    .poll(
      async () => {
        const handle = server.environment.client.workflow.getHandle('onboarding/acme');
        return (await handle.query(onboardingStateQuery)).stage;
      },
      { timeout: 20_000 },
    )
    .toBe(stage);

/** Without the fields that differ between runs. */
const apartFromRun = ({ runId, uiUrl, updatedAt, ageSeconds, temporal, ...view }: OnboardingView) => view;

describe('a reset after the end, to any point', () => {
  const ends: readonly [string, Partial<Script>, OnboardingView['outcome'], string][] = [
    ['F1', { verified: () => false }, 'failed', 'failed: DomainVerificationTimedOut'],
    ['F3', { outcome: () => ({ status: 'bounced', bounce }) }, 'failed', 'failed: EmailBounced'],
    ['a cancel in an outage', { before: failing('createSender', noAnswer) }, 'cancelled', 'cancelled'],
    ['a cancel in the domain wait', { verified: () => false }, 'cancelled', 'cancelled'],
  ];

  test.each(ends)(
    'by %s ends at once without a request to the provider, and says how to start again',
    async (name, script, outcome, how) => {
      await manyOnboardings(script, async (environment) => {
        const { start, scripted, onboardings } = environment;
        const handle = await start(validInput({ verificationWindow: name === 'F1' ? '1 second' : '1 hour' }));
        if (outcome === 'cancelled') {
          await untilStage(environment, name.includes('outage') ? Stage.creatingSender : Stage.awaitingDomain);
          await handle.cancel();
          scripted.script.before = () => undefined;
        }
        // The register has the outcome before the history does.
        await expect(handle.result()).rejects.toThrow();
        await untilOutcome(environment, outcome);
        const before = await environment.viewOf();
        const [calls, existing, emails] = [scripted.calls.length, [...scripted.existing], scripted.emails.length];

        const points = await resetPointsOf(handle);
        expect(points.length).toBeGreaterThan(0);
        for (const point of points) {
          const again = await reset(environment, before.runId, point);
          await expect(again.handle.result(), `reset to event ${point}`).rejects.toMatchObject({
            cause: {
              type: 'OnboardingEnded',
              message: `The onboarding of acme has already ended (${how}) and its undo is done, so a reset cannot continue it. To start again, use PUT /onboardings/acme or sendoff restart acme --subject TEXT --body TEXT; do not reset this Workflow`,
            },
          });
          expect(scripted.calls, `reset to event ${point}`).toHaveLength(calls);
          const after = await environment.viewOf();
          expect(apartFromRun(after)).toEqual(apartFromRun(before));
        }
        expect([...scripted.existing]).toEqual(existing);
        expect(scripted.emails).toHaveLength(emails);

        scripted.script.verified = () => true;
        scripted.script.before = () => undefined;
        scripted.script.outcome = () => ({ status: 'delivered', deliveredAt: null });
        expect(await onboardings.start(validInput())).toMatchObject({ kind: 'started' });
        await untilOutcome(environment, 'onboarded');
        expect(scripted.emails).toHaveLength(1);
      });
    },
  );

  test('of a successful onboarding returns the same result, and the tenant stays onboarded', async () => {
    await manyOnboardings({}, async (environment) => {
      const { start, scripted, onboardings } = environment;
      const handle = await start();
      const result: unknown = await handle.result();
      const before = await environment.viewOf();
      const calls = scripted.calls.length;
      for (const point of await resetPointsOf(handle)) {
        const again = await reset(environment, before.runId, point);
        expect(await again.handle.result(), `reset to event ${point}`).toEqual(result);
        expect(apartFromRun(await environment.viewOf())).toEqual(apartFromRun(before));
      }
      expect(scripted.calls).toHaveLength(calls);
      expect(await onboardings.start(validInput())).toMatchObject({ kind: 'alreadyThere' });
      expect(await onboardings.start(validInput({ undo: 'nothing' }))).toMatchObject({ kind: 'different' });
    });
  });

  test('of an onboarding that a later one has replaced changes nothing of the later one', async () => {
    await manyOnboardings({ verified: () => false }, async (environment) => {
      const { start, scripted, onboardings } = environment;
      const first = await start(validInput({ verificationWindow: '1 second' }));
      await expect(first.result()).rejects.toThrow();
      await untilOutcome(environment, 'failed');
      const { runId } = await environment.viewOf();
      const points = await resetPointsOf(first);
      scripted.script.verified = () => true;
      await onboardings.start(validInput());
      await untilOutcome(environment, 'onboarded');
      const before = await environment.viewOf();
      const calls = scripted.calls.length;
      for (const point of points) {
        const again = await reset(environment, runId, point);
        await expect(again.handle.result(), `reset to event ${point}`).rejects.toMatchObject({
          cause: { type: 'OnboardingEnded', message: expect.stringContaining('A later onboarding of acme') as string },
        });
        expect(apartFromRun(await environment.viewOf())).toEqual(apartFromRun(before));
      }
      expect(scripted.calls).toHaveLength(calls);
      expect(await onboardings.start(validInput())).toMatchObject({ kind: 'alreadyThere' });
    });
  });
});

describe('a reset before the end', () => {
  test('continues with what was created, from any point', async () => {
    await manyOnboardings({ verified: () => false, outcome: () => 'queued' }, async (environment) => {
      const { start, scripted } = environment;
      const begun = await start();
      await untilStage(environment, Stage.awaitingDomain);
      const made = [...scripted.existing];
      const [first = 0] = await resetPointsOf(begun);
      const { handle, runId } = await reset(environment, (await environment.viewOf()).runId, first);
      await untilStage(environment, Stage.awaitingDomain);
      scripted.script.verified = () => true;
      await environment.onboardings.wakeUp('acme', { eventId: 'evt_1', type: 'domain.verified' });
      await untilStage(environment, Stage.awaitingDelivery);
      for (const point of await resetPointsOf(handle)) {
        await reset(environment, runId, point);
        await untilStage(environment, Stage.awaitingDelivery);
      }
      scripted.script.outcome = () => ({ status: 'delivered', deliveredAt: null });
      await environment.onboardings.wakeUp('acme', { eventId: 'evt_2', type: 'email.delivered' });
      await untilOutcome(environment, 'onboarded');
      expect([...scripted.existing]).toEqual([...made, 'snd_4']);
      expect(scripted.emails).toHaveLength(1);
    });
  });

  test('continues a run that was terminated', async () => {
    await manyOnboardings({ verified: () => false }, async (environment) => {
      const { start, scripted } = environment;
      const handle = await start();
      await untilStage(environment, Stage.awaitingDomain);
      await handle.terminate();
      const { runId } = await environment.viewOf();
      scripted.script.verified = () => true;
      const [first = 0] = await resetPointsOf(handle);
      const again = await reset(environment, runId, first);
      expect(await again.handle.result()).toMatchObject({
        keyId: 'key_1',
        domainId: 'dom_3',
      });
      await untilOutcome(environment, 'onboarded');
    });
  });

  test('during the undo ends at once, and lists what may remain', async () => {
    await manyOnboardings({ verified: () => false }, async (environment) => {
      const { start, scripted } = environment;
      scripted.script.before = failing('deleteWebhook', noAnswer);
      const handle = await start();
      await untilStage(environment, Stage.awaitingDomain);
      await handle.cancel();
      await expect.poll(() => scripted.count('deleteWebhook'), { timeout: 10_000 }).toBeGreaterThan(0);
      expect([...scripted.existing]).toEqual(['key_1', 'whk_2']);
      const { runId } = await environment.viewOf();
      const [first = 0] = await resetPointsOf(handle);
      const again = await reset(environment, runId, first);
      await expect(again.handle.result()).rejects.toMatchObject({
        cause: {
          type: 'OnboardingEnded',
          message: expect.stringContaining('had begun its undo when it was reset') as string,
        },
      });
      await environment.recordEnd('acme');
      const { outcome, remains } = await environment.viewOf();
      expect({ outcome, remains }).toEqual({
        outcome: 'terminated',
        remains: [
          { step: 'issueApiKey', resourceId: 'key_1' },
          { step: 'registerWebhook', resourceId: 'whk_2' },
          { step: 'registerDomain', resourceId: 'dom_3' },
        ],
      });
    });
  });
});

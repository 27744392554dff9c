// A row in the table of steps, the Activities that it names and a call of them are all that a step needs. Here the table has one more.
import { sixthStep } from '../support/sixth-step/sixth-step.ts';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createActivities } from '../../src/activities/index.ts';
import { withRecording, stagesOfSteps } from '../../src/activities/onboarding/with-recording.ts';
import type { UndoInput } from '../../src/activities/onboarding/step-input.ts';
import { onboardingParts } from '../../src/client/onboarding/onboarding-parts.ts';
import { OnboardingViewSchema } from '../../src/http/schemas/onboarding.ts';
import { viewOfRecord } from '../../src/http/setup-page/view-of-record.ts';
import { mayHaveRun } from '../../src/onboarding/may-have-run.ts';
import { newOnboarding } from '../../src/onboarding/onboarding.ts';
import { patchActivation } from '../../src/lib/temporal/patches.ts';
import type { Stage } from '../../src/onboarding/stage.ts';
import { patchesOfSteps, type StepName } from '../../src/onboarding/steps.ts';
import { whatRemains } from '../../src/onboarding/what-remains.ts';
import type { Register } from '../../src/store/onboarding/register.ts';
import { workerOptions } from '../../src/worker-options.ts';
import { cancel, currentDetailsOf, realServer, validInput } from '../support/onboarding-environment.ts';
import { memorySecretStore, scriptedProvider } from '../support/scripted-provider.ts';
import { openTestRegister } from '../support/test-register.ts';
import { workflowCode } from '../support/workflow-bundle.ts';
import { noOperatorAccounts } from '../support/no-operator-accounts.ts';

const TASK_QUEUE = 'sixth-step';
const workflowsPath = fileURLToPath(new URL('../support/sixth-step/workflows.ts', import.meta.url));
const stage = sixthStep.stage as Stage;
const step = sixthStep.step as StepName;

interface World {
  /** Performs onboardings on a Worker of this release meanwhile. */
  readonly runIn: (release: string, act: () => Promise<void>) => Promise<void>;
  readonly onboardings: ReturnType<typeof onboardingParts>['onboardings'];
  readonly views: ReturnType<typeof onboardingParts>['views'];
  readonly register: Register;
  readonly handle: WorkflowHandle;
  readonly opened: readonly object[];
  readonly closed: readonly object[];
}

async function withMailboxes(use: (world: World) => Promise<void>): Promise<void> {
  const server = await realServer();
  const { register, claims, intents, watchedDomains, end } = await openTestRegister();
  const opened: object[] = [];
  const closed: object[] = [];
  const mailboxes = {
    openMailbox(step: object) {
      opened.push(step);
      return Promise.resolve({ mailboxId: 'box_1' });
    },
    closeMailbox(undo: UndoInput) {
      closed.push(undo);
      return Promise.resolve({ resourceId: undo.resourceId });
    },
  };
  try {
    const { environment, namespace } = server;
    const { provider, checkRecords } = scriptedProvider();
    const dependencies = {
      ...{ provider, operatorAccounts: noOperatorAccounts, checkRecords },
      ...{ secrets: memorySecretStore(), register, webhookUrl: undefined },
    };
    const activities = {
      ...createActivities(dependencies),
      ...withRecording(mailboxes, (name) => stagesOfSteps[name as keyof typeof stagesOfSteps], register),
    };
    const code = await workflowCode(workflowsPath);
    const runIn = async (release: string, act: () => Promise<void>): Promise<void> => {
      const worker = await Worker.create({
        ...{ connection: environment.nativeConnection, namespace, activities, ...workerOptions },
        ...{ taskQueue: TASK_QUEUE, ...code },
        patchActivationCallback: patchActivation({ release, held: [], known: patchesOfSteps() }),
      });
      await worker.runUntil(act);
    };
    const stores = { register, claims, intents, watchedDomains, uiUrl: undefined };
    const { onboardings, views } = onboardingParts(environment.client, { ...stores, taskQueue: TASK_QUEUE });
    const handle = environment.client.workflow.getHandle('onboarding/acme');
    await use({ runIn, onboardings, views, register, handle, opened, closed });
  } finally {
    await server.stop();
    await end();
  }
}

test('a sixth step is recorded, shown and undone', async () => {
  await withMailboxes(async ({ runIn, onboardings, views, register, handle, opened, closed }) => {
    await runIn('0.3.0', async () => {
      const { domain } = validInput();
      await onboardings.start(validInput());
      await expect
        .poll(() => register.get('acme'))
        .toMatchObject({ onboarding: { stage: 'registeringWebhook', keyId: 'key_1', mailboxId: 'box_1' } });
      expect((await register.get('acme'))?.onboarding.stages.map((visit) => visit.stage)).toEqual([
        'issuingKey',
        'openingMailbox',
        'registeringWebhook',
      ]);
      expect(opened).toMatchObject([{ tenantId: 'acme', domain }]);
      // The Activity records before the Workflow Task that ran it completes.
      await expect.poll(() => currentDetailsOf(handle)).toContain('- ✅ Mailbox `box_1` (');
      expect((await views.get('acme'))?.onboarding).toMatchObject({ mailboxId: 'box_1' });

      await cancel(handle);
      expect(closed).toMatchObject([{ tenantId: 'acme', domain, resourceId: 'box_1' }]);
      const view = await views.get('acme');
      expect(view?.onboarding.undo).toContainEqual({
        ...{ step: 'openMailbox', resourceId: 'box_1', result: 'undone', reason: 'undone after Cancelled' },
      });
      expect(await currentDetailsOf(handle)).toContain('✅ Mailbox `box_1` undone after Cancelled');
    });
  });
});

test('an onboarding that began before the patch of a sixth step was active goes without it, also in a later release', async () => {
  await withMailboxes(async ({ runIn, onboardings, views, register, handle, opened, closed }) => {
    const visited = async (): Promise<unknown> =>
      (await register.get('acme'))?.onboarding.stages.map((visit) => visit.stage);
    await runIn('0.2.0', async () => {
      await onboardings.start(validInput());
      await expect.poll(visited).toEqual(['issuingKey', 'registeringWebhook']);
      expect(await register.get('acme')).toMatchObject({ onboarding: { withoutSteps: ['openMailbox'] } });
      expect(await currentDetailsOf(handle)).not.toContain('Mailbox');
    });
    await runIn('0.3.0', async () => {
      await cancel(handle);
      expect([opened, closed]).toEqual([[], []]);
      const { onboarding, remains } = (await views.get('acme')) ?? {};
      expect(onboarding).toMatchObject({ withoutSteps: ['openMailbox'], stage: 'done' });
      expect(onboarding?.undo.map((entry) => entry.step)).toEqual(['registerDomain', 'registerWebhook', 'issueApiKey']);
      expect(remains).toEqual([]);
    });
  });
});

test('a sixth step that is cut off may have run, remains, and is a stage before the domain is verified', async () => {
  expect(mayHaveRun(stage)).toEqual(['openMailbox', 'registerWebhook', 'registerDomain', 'createSender']);
  expect(mayHaveRun('issuingKey').slice(0, 2)).toEqual(['issueApiKey', 'openMailbox']);
  expect(mayHaveRun('issuingKey', { withoutSteps: [step] })).not.toContain('openMailbox');
  const onboarding = { ...newOnboarding(validInput()), keyId: 'key_1', stage };
  expect(onboarding).toHaveProperty('mailboxId', null);
  expect(whatRemains(onboarding).slice(0, 2)).toEqual([
    { step: 'issueApiKey', resourceId: 'key_1' },
    { step: 'openMailbox', resourceId: null },
  ]);
  expect(whatRemains({ ...onboarding, stage: 'issuingKey', withoutSteps: [step] })).not.toContainEqual(
    expect.objectContaining({ step: 'openMailbox' }),
  );
  const { register, end } = await openTestRegister();
  const at = '2026-03-01T12:00:00.000Z';
  await register.begin({
    tenantId: 'acme',
    attemptId: 'a',
    runId: 'r',
    at,
    startedAt: at,
    startedWith: null,
    onboarding,
  });
  const record = await register.get('acme');
  await end();
  expect(record && viewOfRecord(record).state).toBe('preparing');
  const schema = JSON.stringify(OnboardingViewSchema.schema);
  for (const word of ['"openMailbox"', '"openingMailbox"', '"mailboxId"']) expect(schema).toContain(word);
});

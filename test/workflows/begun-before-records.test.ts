import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { apiKeyActivities } from '../../src/activities/api-key.ts';
import { createActivities } from '../../src/activities/index.ts';
import { onboardingParts } from '../../src/client/onboarding-parts.ts';
import { workerOptions, workflowsPath } from '../../src/worker.ts';
import { pollsTaskQueue } from '../../src/workflows/messages.ts';
import { realServer, validInput } from '../support/onboarding-environment.ts';
import { memorySecretStore, scriptedProvider } from '../support/scripted-provider.ts';
import { openTestRegister } from '../support/test-register.ts';
import { workflowCode } from '../support/workflow-bundle.ts';

const TASK_QUEUE = 'begun-before-records';

test('an onboarding that a version without records began is recorded when it ends', async () => {
  const server = await realServer();
  const { register, claims, watchedDomains, end } = await openTestRegister();
  try {
    const { environment, namespace } = server;
    const { provider, checkRecords } = scriptedProvider();
    const dependencies = { provider, checkRecords, secrets: memorySecretStore(), register, webhookUrl: undefined };
    // The first step of the earlier version began no record.
    const activities = { ...createActivities(dependencies), ...apiKeyActivities(dependencies) };
    const shared = { connection: environment.nativeConnection, namespace, activities, ...workerOptions };
    const workflows = await workflowCode(workflowsPath);
    const steps = await Worker.create({ ...shared, taskQueue: TASK_QUEUE, ...workflows });
    const polls = await Worker.create({ ...shared, taskQueue: pollsTaskQueue(TASK_QUEUE) });
    const stores = { register, claims, watchedDomains, uiUrl: undefined };
    const { onboardings } = onboardingParts(environment.client, { ...stores, taskQueue: TASK_QUEUE });
    await steps.runUntil(
      polls.runUntil(async () => {
        await onboardings.start(validInput());
        const handle = environment.client.workflow.getHandle('onboarding/acme');
        const result: unknown = await handle.result();
        expect(await register.get('acme')).toMatchObject({ outcome: 'onboarded', result });
      }),
    );
  } finally {
    await server.stop();
    await end();
  }
});

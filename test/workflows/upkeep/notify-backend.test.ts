import { Worker } from '@temporalio/worker';
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { notificationActivities } from '../../../src/activities/upkeep/send-notification.ts';
import { createBackendNotifications } from '../../../src/client/upkeep/backend-notifications.ts';
import { notificationsWorkflowId } from '../../../src/onboarding/onboarding-ids.ts';
import { workerOptions } from '../../../src/worker-options.ts';
import { workflowsPath } from '../../../src/worker.ts';
import { notificationsTaskQueue, notificationWaitsSignal } from '../../../src/workflows/messages.ts';
import { searchAttributeKeys } from '../../../src/workflows/search-attributes.ts';
import { type NotifiedRegister, openNotifiedRegister } from '../../support/notified-register.ts';
import { hoursTaken } from '../../support/onboarding-environment.ts';
import { type TestServer, timeSkippingServer } from '../../support/temporal.ts';
import { loopbackWebhookClient, startTestReceiver, type TestReceiver } from '../../support/test-receiver.ts';
import { workflowCode } from '../../support/workflow-bundle.ts';
import { signalWith, unreadable } from '../../support/unreadable-signals.ts';

const TASK_QUEUE = 'notifications-test';

interface Environment {
  readonly server: TestServer;
  readonly opened: NotifiedRegister;
  readonly backend: TestReceiver;
  readonly resume: (tenantId: string) => Promise<void>;
  /** The reasons that the backend accepted from a tenant. */
  readonly accepted: (tenantId: string) => string[];
}

/** @param isDown asked with the hours since the test began, by the server's clock */
async function withBackend(
  isDown: (hours: number, tenantId: string) => boolean,
  use: (environment: Environment) => Promise<void>,
): Promise<void> {
  const server = await timeSkippingServer(searchAttributeKeys);
  const opened = await openNotifiedRegister();
  const { environment, namespace } = server;
  const startedAt = await environment.currentTimeMs();
  const accepted: { tenantId: string; reason: string }[] = [];
  const backend = await startTestReceiver((response) => {
    const { data } = JSON.parse(backend.posts.at(-1)?.body ?? '') as { data: { tenantId: string; reason: string } };
    void environment.currentTimeMs().then((now) => {
      const refused = isDown((now - startedAt) / 3_600_000, data.tenantId);
      if (!refused) accepted.push(data);
      response.writeHead(refused ? 503 : 204).end();
    });
  });
  const webhookClient = loopbackWebhookClient();
  try {
    const shared = { connection: environment.nativeConnection, namespace, ...workerOptions };
    const receiver = { url: backend.url, signingSecrets: [`whsec_${randomBytes(32).toString('base64')}`] };
    const workflows = await Worker.create({
      ...shared,
      taskQueue: TASK_QUEUE,
      ...(await workflowCode(workflowsPath)),
    });
    const posts = await Worker.create({
      ...shared,
      taskQueue: notificationsTaskQueue(TASK_QUEUE),
      activities: notificationActivities({ queue: opened.queue, receiver, webhookClient }),
    });
    const notifications = createBackendNotifications(environment.client, {
      warn: (message) => {
        throw new Error(message);
      },
      taskQueue: TASK_QUEUE,
    });
    const used = use({
      server,
      opened,
      backend,
      resume: notifications.resume,
      accepted: (tenantId) => accepted.filter((each) => each.tenantId === tenantId).map(({ reason }) => reason),
    });
    await workflows.runUntil(posts.runUntil(used));
  } finally {
    await webhookClient.close();
    await backend.stop();
    await server.stop();
    await opened.end();
  }
}

test('a backend that is down for two days gets everything, in order per tenant', async () => {
  await withBackend(
    (hours) => hours < 48,
    async ({ server, opened, resume, accepted, backend }) => {
      const tenants = ['acme', 'globex'];
      for (const reason of ['first', 'second', 'third']) for (const each of tenants) await opened.add(each, reason);
      for (const each of tenants) await resume(each);
      const { client } = server.environment;
      for (const each of tenants) {
        const handle = client.workflow.getHandle(notificationsWorkflowId(each));
        await handle.result();
        expect(accepted(each)).toEqual(['first', 'second', 'third']);
        expect(await hoursTaken(handle)).toBeGreaterThanOrEqual(48);
        // Three Activities: the attempts of two days add no events.
        expect((await handle.describe()).historyLength).toBeLessThan(25);
      }
      expect(backend.posts.length).toBeGreaterThan(2 * 9);
    },
  );
});

test('a notification that fails for 75 hours is given up, and the next one is delivered', async () => {
  await withBackend(
    (hours) => hours < 76 * 1.1,
    async ({ server, opened, resume, accepted }) => {
      await opened.add('acme', 'first');
      await opened.add('acme', 'second');
      await resume('acme');
      const handle = server.environment.client.workflow.getHandle(notificationsWorkflowId('acme'));
      for (const payloads of unreadable) await signalWith(handle, notificationWaitsSignal.name, payloads);
      await handle.result();
      expect(accepted('acme')).toEqual(['second']);
      const [second, first] = await opened.queue.list({ tenantId: 'acme' }, { limit: 10 });
      expect(first).toMatchObject({ status: 'failed', attempts: 10, lastError: expect.stringContaining('503') });
      expect(second).toMatchObject({ status: 'delivered' });
    },
  );
});

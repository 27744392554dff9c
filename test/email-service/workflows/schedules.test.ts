import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { asActivity } from '../../../src/email-service/activities/attempt-context.ts';
import { createAttemptDelivery } from '../../../src/email-service/activities/attempt-delivery.ts';
import { createPostWebhook } from '../../../src/email-service/activities/post-webhook.ts';
import { recordEvent } from '../../../src/email-service/store/events.ts';
import { deliverEmailStart, deliverWebhookStart } from '../../../src/email-service/store/outbox.ts';
import { startWorkflow, withWorkflows } from '../support/email-service-workflows.ts';
import { processParts } from '../support/process-parts.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

const HOUR_MS = 3_600_000;

let prepared: TestStore;
beforeEach(async () => {
  prepared = await openTestStore();
});
afterEach(() => prepared.end());

describe('an email that no server accepts', () => {
  test('is attempted for a day and then bounces as expired', async () => {
    const attemptDelivery = asActivity(
      createAttemptDelivery({
        ...processParts(prepared),
        deliverMessage: async () => ({
          kind: 'deferred',
          remoteMta: 'mx.inbox.test',
          reply: undefined,
          diagnostic: 'away',
        }),
      }),
    );
    await withWorkflows({ attemptDelivery }, async (server) => {
      const emailId = await prepared.email();
      const startedAt = await server.environment.currentTimeMs();
      const handle = await startWorkflow(server, deliverEmailStart(emailId));
      expect(await handle.result()).toEqual({ emailId, outcome: 'bounced' });
      const { closeTime } = await handle.describe();
      const tookMs = (closeTime?.getTime() ?? 0) - startedAt;
      expect(tookMs / HOUR_MS).toBeGreaterThan(20);
      // The time-skipping server reports an attempt's time one interval late, at most four hours.
      expect(tookMs / HOUR_MS).toBeLessThan(29);
      const attempts = await prepared.store.selectFrom('delivery_attempts').select('outcome').execute();
      expect(attempts.length).toBeGreaterThanOrEqual(10);
      expect(attempts.length).toBeLessThanOrEqual(14);
      const email = await prepared.store.selectFrom('emails').select(['status', 'bounce']).executeTakeFirstOrThrow();
      expect(email.status).toBe('bounced');
      expect(JSON.parse(email.bounce ?? '')).toMatchObject({ category: 'expired', diagnostic: 'away' });
      // For any number of attempts: start, one Activity, completion.
      expect((await handle.fetchHistory()).events).toHaveLength(11);
    });
  });
});

describe('a webhook that no receiver accepts', () => {
  test('is posted ten times in 75.5 hours and then stored as failed', async () => {
    const webhook = await prepared.webhook(['email.delivered']);
    const { eventId } = await prepared.store.transaction().execute((transaction) =>
      recordEvent(transaction, {
        accountId: prepared.accountId,
        type: 'email.delivered',
        resource: { id: 'eml_1' },
        now: new Date(),
        claimed: false,
      }),
    );
    const postWebhook = asActivity(
      createPostWebhook({
        ...processParts(prepared),
        webhookClient: {
          post: async () => ({ kind: 'answered', statusCode: 503, retryAfterMs: undefined }),
          close: async () => undefined,
        },
      }),
    );
    await withWorkflows({ postWebhook }, async (server) => {
      const startedAt = await server.environment.currentTimeMs();
      const handle = await startWorkflow(server, deliverWebhookStart(eventId, webhook.id));
      expect(await handle.result()).toEqual({ eventId, webhookId: webhook.id, outcome: 'failed' });
      const tookHours = (((await handle.describe()).closeTime?.getTime() ?? 0) - startedAt) / HOUR_MS;
      expect(tookHours).toBeGreaterThan(0.9 * 75.5);
      expect(tookHours).toBeLessThan(1.1 * 75.7);
      expect(await prepared.store.selectFrom('webhook_deliveries').selectAll().execute()).toMatchObject([
        { status: 'failed', attempts: 10 },
      ]);
    });
  });
});

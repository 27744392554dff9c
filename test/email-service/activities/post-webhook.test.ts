import { ApplicationFailureCategory } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { asActivity } from '../../../src/email-service/activities/attempt-context.ts';
import { createPostWebhook } from '../../../src/email-service/activities/post-webhook.ts';
import { recordEvent } from '../../../src/email-service/store/events.ts';
import { createSealer, type Sealer } from '../../../src/lib/sealing.ts';
import { createWebhookClient, type WebhookClient } from '../../../src/lib/webhooks/webhook-client.ts';
import { failureOf } from '../../support/failure-of.ts';
import { startTestReceiver, type TestReceiver } from '../../support/test-receiver.ts';
import { processParts } from '../support/process-parts.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

const SECOND_MS = 1_000;
const recordedAt = new Date(Date.now() - 60 * SECOND_MS);

let prepared: TestStore;
let receiver: TestReceiver;
let client: WebhookClient;
let answers: { status: number; headers?: Record<string, string> }[];
beforeEach(async () => {
  prepared = await openTestStore();
  answers = [];
  receiver = await startTestReceiver((response) => {
    const { status, headers = {} } = answers.shift() ?? { status: 200 };
    response.writeHead(status, headers).end();
  });
  client = createWebhookClient({ allowHttp: true, mayConnectTo: () => true, now: () => new Date() });
});
afterEach(async () => {
  await client.close();
  await receiver.stop();
  await prepared.end();
});

/** An event and a webhook that subscribes to it. */
async function owed() {
  const webhook = await prepared.webhook(['email.delivered'], { url: `${receiver.url}/hook?token=in-the-url` });
  const { eventId } = await prepared.store.transaction().execute((transaction) =>
    recordEvent(transaction, {
      accountId: prepared.accountId,
      type: 'email.delivered',
      resource: { id: 'eml_1', status: 'delivered' },
      now: recordedAt,
      claimed: false,
    }),
  );
  return { eventId, webhookId: webhook.id, secret: webhook.secret };
}

const post = (
  { eventId, webhookId }: { eventId: string; webhookId: string },
  sealer: Sealer = prepared.sealer,
  environment = new MockActivityEnvironment(),
) => {
  const activity = asActivity(createPostWebhook({ ...processParts(prepared), sealer, webhookClient: client }));
  return environment.run(activity, { eventId, webhookId });
};

const delivery = () => prepared.store.selectFrom('webhook_deliveries').selectAll().executeTakeFirstOrThrow();

describe('an event that is posted', () => {
  test('is accepted by a receiver that checks its signature', async () => {
    const webhook = await owed();
    expect(await post(webhook)).toEqual({ outcome: 'delivered' });
    const [received] = receiver.posts;
    const headers = received?.headers as Record<string, string>;
    expect(headers['webhook-id']).toBe(webhook.eventId);
    expect(new Webhook(webhook.secret).verify(received?.body ?? '', headers)).toEqual({
      type: 'email.delivered',
      timestamp: recordedAt.toISOString(),
      data: { id: 'eml_1', status: 'delivered' },
    });
    expect(await delivery()).toMatchObject({
      status: 'delivered',
      attempts: 1,
      last_status_code: 200,
      last_error: null,
      finished_at: expect.any(String),
    });
  });

  test('that the database does not have fails with what to check, and is retried', async () => {
    const { webhookId } = await owed();
    expect(await failureOf(post({ eventId: 'evt_unknown', webhookId }))).toMatchObject({
      type: 'UnknownId',
      message: expect.stringContaining(`no webhook delivery evt_unknown to ${webhookId}`),
      nonRetryable: false,
      nextRetryDelay: 60_000,
    });
    expect(receiver.posts).toHaveLength(0);
  });

  test('that the database does not have is dropped once its Workflow has waited longer than all posts take', async () => {
    const gone = { eventId: 'evt_01h45ytscbebyvny4gc8cr8ma2', webhookId: 'whk_gone' };
    expect(await failureOf(post(gone))).toMatchObject({ type: 'UnknownId' });
    const scheduledTimestampMs = Date.now();
    const times = { scheduledTimestampMs, currentAttemptScheduledTimestampMs: scheduledTimestampMs + 9 * 86_400_000 };
    expect(await post(gone, prepared.sealer, new MockActivityEnvironment(times))).toEqual({ outcome: 'dropped' });
  });

  test('is not posted again after the receiver accepted it', async () => {
    const webhook = await owed();
    await post(webhook);
    expect(await post(webhook)).toEqual({ outcome: 'dropped' });
    expect(receiver.posts).toHaveLength(1);
  });

  test('is posted again with the same id and body after a 500', async () => {
    answers = [{ status: 500 }];
    const webhook = await owed();
    const failure = await failureOf(post(webhook));
    expect(failure).toMatchObject({
      type: 'WebhookUnanswered',
      category: ApplicationFailureCategory.BENIGN,
      message: `Attempt 1: 127.0.0.1:${String(receiver.port)} answered 500.`,
      stack: '',
    });
    expect(Number(failure.nextRetryDelay)).toBeLessThanOrEqual(5.5 * SECOND_MS);
    expect(await delivery()).toMatchObject({
      status: 'pending',
      attempts: 1,
      last_status_code: 500,
      finished_at: null,
    });
    expect(await post(webhook)).toEqual({ outcome: 'delivered' });
    const [first, second] = receiver.posts;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(await delivery()).toMatchObject({
      status: 'delivered',
      attempts: 2,
      last_status_code: 200,
      last_error: null,
    });
  });

  test.each([301, 302, 307, 308])('is not delivered by a redirect %i', async (status) => {
    answers = [{ status, headers: { location: `${receiver.url}/elsewhere` } }];
    expect((await failureOf(post(await owed()))).message).toMatch(/; redirects are not followed\.$/);
    expect(receiver.posts).toHaveLength(1);
  });

  test('waits as long as Retry-After requests', async () => {
    answers = [{ status: 429, headers: { 'retry-after': '3600' } }];
    expect((await failureOf(post(await owed()))).nextRetryDelay).toBe(3_600 * SECOND_MS);
  });

  test('reveals neither the URL’s path and query nor the secret', async () => {
    answers = [{ status: 500 }];
    const webhook = await owed();
    const failure = await failureOf(post(webhook));
    const told = JSON.stringify([failure.message, failure.details, (await delivery()).last_error]);
    expect(told).not.toMatch(/in-the-url|hook\?/);
    expect(told).not.toContain(webhook.secret);
  });

  test('is stored as failed after the tenth attempt', async () => {
    answers = Array.from({ length: 10 }, () => ({ status: 503 }));
    const webhook = await owed();
    for (let attempt = 1; attempt <= 9; attempt++) await failureOf(post(webhook));
    expect(await post(webhook)).toEqual({ outcome: 'failed' });
    expect(receiver.posts).toHaveLength(10);
    expect(await delivery()).toMatchObject({
      status: 'failed',
      attempts: 10,
      last_status_code: 503,
      last_error: `127.0.0.1:${String(receiver.port)} answered 503.`,
    });
    expect(await prepared.events()).toHaveLength(1);
  });

  test('disables the webhook of a receiver that answers 410', async () => {
    answers = [{ status: 410 }];
    const webhook = await owed();
    const later = await prepared.store.transaction().execute((transaction) =>
      recordEvent(transaction, {
        accountId: prepared.accountId,
        type: 'email.delivered',
        resource: { id: 'eml_2' },
        now: new Date(),
        claimed: false,
      }),
    );
    expect(await post(webhook)).toEqual({ outcome: 'failed' });
    const { disabled_at } = await prepared.store.selectFrom('webhooks').select('disabled_at').executeTakeFirstOrThrow();
    expect(disabled_at).toMatch(/^20.*Z$/);
    expect(await post({ ...later, webhookId: webhook.webhookId })).toEqual({ outcome: 'dropped' });
    expect(receiver.posts).toHaveLength(1);
  });

  test('is dropped if its webhook was deleted meanwhile', async () => {
    const webhook = await owed();
    await prepared.store.updateTable('webhooks').set({ deleted_at: new Date().toISOString() }).execute();
    expect(await post(webhook)).toEqual({ outcome: 'dropped' });
    expect(receiver.posts).toEqual([]);
    expect(await delivery()).toMatchObject({ status: 'failed', last_error: 'The webhook was deleted.' });
  });
});

describe('a webhook whose signing secret no key decrypts', () => {
  const otherKey = createSealer([randomBytes(32)]);

  test('uses no attempt, reports the fault, and is posted when the key is back', async () => {
    const webhook = await owed();
    for (let run = 1; run <= 12; run++) {
      const failure = await failureOf(post(webhook, otherKey));
      expect(failure.type).toBe('SigningSecretUnreadable');
      expect(Number(failure.nextRetryDelay)).toBeGreaterThan(4 * 60 * SECOND_MS);
    }
    expect(await delivery()).toMatchObject({
      status: 'pending',
      attempts: 0,
      last_error: 'No configured encryption key decrypts the signing secret.',
    });
    answers = [{ status: 500 }];
    expect((await failureOf(post(webhook))).type).toBe('WebhookUnanswered');
    expect(await post(webhook)).toEqual({ outcome: 'delivered' });
  });

  test('is stored as failed when the time for all attempts is over', async () => {
    const webhook = await owed();
    const longAgo = new Date(Date.now() - 76 * 3_600 * SECOND_MS).toISOString();
    await prepared.store.updateTable('webhook_deliveries').set({ created_at: longAgo }).execute();
    expect(await post(webhook, otherKey)).toEqual({ outcome: 'failed' });
    expect(await delivery()).toMatchObject({ status: 'failed', attempts: 0, finished_at: expect.any(String) });
    expect(receiver.posts).toEqual([]);
  });
});

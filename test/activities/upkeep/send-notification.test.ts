import '../../support/quiet-temporal.ts';
import { MockActivityEnvironment } from '@temporalio/testing';
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { notificationActivities } from '../../../src/activities/upkeep/send-notification.ts';
import type { WebhookClient } from '../../../src/lib/webhooks/webhook-client.ts';
import { failureOf } from '../../support/failure-of.ts';
import { type NotifiedRegister, openNotifiedRegister } from '../../support/notified-register.ts';
import { loopbackWebhookClient, startTestReceiver, type TestReceiver } from '../../support/test-receiver.ts';

const secrets = [1, 2].map(() => `whsec_${randomBytes(32).toString('base64')}`);

let opened: NotifiedRegister;
let backend: TestReceiver;
let webhookClient: WebhookClient;
let answer: (response: ServerResponse) => unknown;
const with204 = (response: ServerResponse) => response.writeHead(204).end();
const withStatus =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end();

beforeEach(async () => {
  opened = await openNotifiedRegister();
  answer = with204;
  backend = await startTestReceiver((response) => answer(response));
  webhookClient = loopbackWebhookClient(2_000);
});
afterEach(async () => {
  await webhookClient.close();
  await backend.stop();
  await opened.end();
});

const send = (tenantId = 'acme') => {
  const receiver = { url: `${backend.url}/hook?token=in-the-url`, signingSecrets: secrets };
  const activities = notificationActivities({ queue: opened.queue, receiver, webhookClient });
  return new MockActivityEnvironment().run((input: { tenantId: string }) => activities.sendNotification(input), {
    tenantId,
  });
};

const received = () => backend.posts.map(({ body }) => (JSON.parse(body) as { data: { reason: string } }).data.reason);
const listed = () => opened.queue.list({}, { limit: 100 });

test('a notification is accepted by a backend with either of two secrets', async () => {
  await opened.add('acme', 'first');
  const [notification] = await listed();
  expect(await send()).toEqual({
    sent: { id: notification?.id, type: 'domain.drifted', outcome: 'delivered' },
    remaining: false,
  });
  const [post] = backend.posts;
  const headers = post?.headers as Record<string, string>;
  expect(headers['webhook-id']).toMatch(/^evt_/);
  for (const secret of secrets) {
    expect(new Webhook(secret).verify(post?.body ?? '', headers)).toEqual({
      type: 'domain.drifted',
      timestamp: notification?.at,
      data: { tenantId: 'acme', reason: 'first' },
    });
  }
  const other = `whsec_${randomBytes(32).toString('base64')}`;
  expect(() => new Webhook(other).verify(post?.body ?? '', headers)).toThrow('No matching signature found');
  expect(await listed()).toMatchObject([{ status: 'delivered', attempts: 1, lastError: null }]);
});

test('without a pending notification nothing is posted', async () => {
  await opened.add('globex', 'first');
  expect(await send()).toEqual({ sent: null, remaining: false });
  expect(backend.posts).toEqual([]);
});

describe('a notification that the backend does not accept', () => {
  test.each<[string, (response: ServerResponse) => unknown, string]>([
    ['500', withStatus(500), 'answered 500'],
    ['a redirect', withStatus(307, { location: 'http://127.0.0.1:9/' }), 'answered 307; redirects are not followed'],
    ['no answer', () => undefined, 'no answer within 2 seconds'],
    ['an answer without an end', (response) => response.writeHead(200).write('o'), 'the response is incomplete'],
    ['a closed connection', (response) => response.destroy(), 'connection failed'],
  ])('is retried with the same ID after %s', async (_, refuse, error) => {
    await opened.add('acme', 'first');
    await opened.add('acme', 'second');
    answer = refuse;
    const failure = await failureOf(send());
    expect(failure).toMatchObject({ type: 'NotificationNotAccepted', nonRetryable: false });
    expect(failure.message).toContain('domain.drifted, attempt 1: 127.0.0.1');
    expect(failure.message).toContain(error);
    expect(failure.message).not.toContain('in-the-url');
    expect(Number(failure.nextRetryDelay) / 5_000).toBeCloseTo(1, 0);
    expect(await listed()).toMatchObject([
      { attempts: 0, status: 'pending' },
      { attempts: 1, status: 'pending', lastError: expect.stringContaining(error), deliveredAt: null },
    ]);

    answer = with204;
    expect(await send()).toMatchObject({ sent: { outcome: 'delivered' }, remaining: true });
    expect(received()).toEqual(['first', 'first']);
    const [refused, accepted] = backend.posts;
    expect(accepted?.headers['webhook-id']).toBe(refused?.headers['webhook-id']);
    expect(accepted?.body).toBe(refused?.body);
  });

  test('is retried later if Retry-After asks for it', async () => {
    await opened.add('acme', 'first');
    answer = withStatus(503, { 'retry-after': '3600' });
    expect((await failureOf(send())).nextRetryDelay).toBe(3_600_000);
  });

  test('is given up after 410, and the next one is sent', async () => {
    await opened.add('acme', 'first');
    await opened.add('acme', 'second');
    answer = withStatus(410);
    expect(await send()).toMatchObject({ sent: { outcome: 'failed' }, remaining: true });
    answer = with204;
    expect(await send()).toMatchObject({ sent: { outcome: 'delivered' }, remaining: false });
    expect(received()).toEqual(['first', 'second']);
    expect(await listed()).toMatchObject([
      { status: 'delivered' },
      { status: 'failed', lastError: expect.stringContaining('answered 410') },
    ]);
  });

  test('is given up after ten attempts, and delivered with the same ID when it is replayed', async () => {
    await opened.add('acme', 'first');
    answer = withStatus(500);
    for (let attempt = 1; attempt < 10; attempt++) await failureOf(send());
    expect(await send()).toMatchObject({ sent: { outcome: 'failed' }, remaining: false });
    const [failed] = await listed();
    expect(failed).toMatchObject({ status: 'failed', attempts: 10 });
    expect(await send()).toEqual({ sent: null, remaining: false });

    await opened.add('acme', 'second');
    expect(await opened.queue.replay(failed?.id ?? '', new Date().toISOString())).toMatchObject({
      status: 'pending',
      attempts: 0,
    });
    answer = with204;
    expect(await send()).toMatchObject({ remaining: true });
    expect(await send()).toMatchObject({ sent: { id: failed?.id, outcome: 'delivered' }, remaining: false });
    expect(received().slice(-2)).toEqual(['second', 'first']);
    expect(
      new Set(backend.posts.filter((_, index) => index !== 10).map(({ headers }) => headers['webhook-id'])),
    ).toEqual(new Set([failed?.id]));
  });
});

test('a delivered notification is replayed after the pending ones, in the order of the replays', async () => {
  for (const reason of ['first', 'second']) {
    await opened.add('acme', reason);
    await send();
  }
  const [second, first] = await listed();
  await opened.queue.replay(second?.id ?? '', '2026-01-01T00:00:01.000Z');
  await opened.queue.replay(first?.id ?? '', '2026-01-01T00:00:02.000Z');
  await opened.add('acme', 'third');
  for (let sent = 0; sent < 3; sent++) await send();
  expect(received()).toEqual(['first', 'second', 'third', 'second', 'first']);
});

test('a pending notification is not replayed, and an event that the backend is not notified of does not exist here', async () => {
  await opened.add('acme', 'first');
  const [pending] = await listed();
  expect(await opened.queue.replay(pending?.id ?? '', new Date().toISOString())).toEqual(pending);
  const [started] = await opened.register.events({ after: 0, limit: 1 });
  expect(started?.type).toBe('onboarding.started');
  expect(await opened.queue.replay(started?.eventId ?? '', new Date().toISOString())).toBeUndefined();
  expect(await opened.queue.get(started?.eventId ?? '')).toBeUndefined();
});

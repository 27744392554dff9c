import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Delivery, WebhookFault } from './fault.ts';
import { type FaultProxy, startFaultProxy } from './start-fault-proxy.ts';
import { type AnswerServer, sendJson, startAnswerServer } from '../answer-server.ts';
import { startTestReceiver, type TestReceiver } from '../test-receiver.ts';
import { gate } from '../held-calls.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;

let service: AnswerServer;
let receiver: TestReceiver;
let proxy: FaultProxy;
/** The URL that the email service posts to. */
let postTo: string;
let receiverStatus: number;

beforeEach(async () => {
  receiverStatus = 200;
  receiver = await startTestReceiver((response) => response.writeHead(receiverStatus).end());
  service = await startAnswerServer(({ method, body }, response) => {
    const registered = body === '' ? { url: postTo } : (JSON.parse(body) as { url: string });
    postTo = registered.url;
    const webhook = { id: 'whk_1', url: postTo };
    if (method === 'POST') sendJson(response, 201, { ...webhook, signing_secret: SECRET });
    else sendJson(response, 200, { data: [webhook] });
  });
  proxy = await startFaultProxy({ target: service.baseUrl });
});

afterEach(async () => {
  await proxy.stop();
  await service.close();
  await receiver.stop();
});

const register = async (): Promise<Record<string, unknown>> => {
  const answer = await fetch(`${proxy.url}/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${receiver.url}/webhooks/acme?a=%20b`, events: ['email.delivered'] }),
  });
  return (await answer.json()) as Record<string, unknown>;
};

/** Posts as the email service does, signed by a judge that is not ours. */
const send = (id: string, type = 'email.delivered'): Promise<Response> => {
  const body = JSON.stringify({ type, data: { id: 'eml_1' } });
  const sentAt = new Date();
  return fetch(postTo, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
      'webhook-signature': new Webhook(SECRET).sign(id, sentAt, body),
    },
    body,
  });
};

const deliver = (...deliveries: Delivery[]): WebhookFault => ({ on: 'webhook', event: 'email.delivered', deliveries });
const receivedIds = (): unknown[] => receiver.posts.map(({ headers }) => headers['webhook-id']);

function verifies(index: number): boolean {
  const { headers = {}, body = '' } = receiver.posts[index] ?? {};
  const signed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  try {
    new Webhook(SECRET).verify(body, signed);
    return true;
  } catch {
    return false;
  }
}

describe('a receiver', () => {
  test('is registered at the email service under an address of the proxy, the same one each time', async () => {
    await register();
    const first = postTo;
    await register();
    expect(first.startsWith(`${proxy.url}/`)).toBe(true);
    expect(postTo).toBe(first);
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({ url: first, events: ['email.delivered'] });
  });

  test('sees its own address in every answer', async () => {
    const own = `${receiver.url}/webhooks/acme?a=%20b`;
    expect(await register()).toEqual({ id: 'whk_1', url: own, signing_secret: SECRET });
    const listed = await fetch(`${proxy.url}/webhooks`);
    expect(await listed.json()).toEqual({ data: [{ id: 'whk_1', url: own }] });
  });

  test('that is not registered gets nothing', async () => {
    await register();
    const elsewhere = Buffer.from(`${receiver.url}/other`).toString('base64url');
    const answer = await fetch(`${proxy.url}/webhook-receivers/${elsewhere}`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(404);
    expect(receiver.posts).toEqual([]);
  });
});

describe('a webhook', () => {
  beforeEach(async () => {
    await register();
  });

  test('without a fault passes unchanged, and so does the answer to it', async () => {
    receiverStatus = 410;
    expect((await send('evt_1')).status).toBe(410);
    expect(receiver.posts[0]?.path).toBe('/webhooks/acme?a=%20b');
    expect(verifies(0)).toBe(true);
    expect(proxy.webhooks()).toEqual([
      {
        account: undefined,
        event: 'email.delivered',
        eventId: 'evt_1',
        deliveries: [{ change: 'none', status: 410 }],
      },
    ]);
    expect(proxy.calls()).toHaveLength(1);
  });

  test('whose receiver is down breaks off, so that it is sent again', async () => {
    await receiver.stop();
    await expect(send('evt_1')).rejects.toThrow('fetch failed');
    expect(proxy.webhooks()[0]?.deliveries).toEqual([{ change: 'none', status: null }]);
    receiver = await startTestReceiver((response) => response.end());
  });

  test('that is dropped was taken, as far as the email service can see', async () => {
    proxy.add(deliver());
    expect((await send('evt_1')).status).toBe(204);
    expect(receiver.posts).toEqual([]);
    expect(proxy.webhooks()).toMatchObject([{ eventId: 'evt_1', deliveries: [] }]);
  });

  test('that is doubled arrives twice with the same bytes and signature', async () => {
    proxy.add(deliver({}, {}));
    await send('evt_1');
    expect(receiver.posts).toHaveLength(2);
    expect(receiver.posts[1]).toEqual(receiver.posts[0]);
  });

  test('that is held arrives when it is released; other events are not delayed', async () => {
    const { open: tell, opened: promise } = gate();
    proxy.add(deliver({ after: { kind: 'promise', promise } }));
    expect((await send('evt_1')).status).toBe(204);
    await send('evt_2');
    expect(receivedIds()).toEqual(['evt_2']);
    tell();
    await vi.waitUntil(() => receiver.posts.length === 2, { timeout: 30_000 });
    expect(verifies(1)).toBe(true);
  });

  test('changes places with the next one', async () => {
    proxy.add(deliver({ after: { kind: 'nextWebhook' } }));
    await send('evt_1');
    await send('evt_2');
    await vi.waitUntil(() => receiver.posts.length === 2, { timeout: 30_000 });
    expect(receivedIds()).toEqual(['evt_2', 'evt_1']);
  });

  test('is replayed after a time, with the signature of the first time', async () => {
    proxy.add(deliver({}, { after: { kind: 'time', ms: 20 } }));
    await send('evt_1');
    await vi.waitUntil(() => receiver.posts.length === 2, { timeout: 30_000 });
    expect(receiver.posts[1]).toEqual(receiver.posts[0]);
  });

  test('that is forged does not verify; the answer to the real one is what the email service sees', async () => {
    const forge = (body: string): string => body.replace('delivered', 'bounced');
    proxy.add(deliver({ change: { kind: 'forged', forge } }, {}));
    expect((await send('evt_1')).status).toBe(200);
    expect(receiver.posts.map(({ body }) => body.includes('bounced'))).toEqual([true, false]);
    expect([verifies(0), verifies(1)]).toEqual([false, true]);
    expect(proxy.webhooks()[0]?.deliveries.map(({ change }) => change)).toEqual(['forged', 'none']);
  });

  test.each([-10, 10])(
    'with a clock %i minutes off is correctly signed, and refused only for its time',
    async (minutes) => {
      proxy.add(deliver({ change: { kind: 'wrongClock', aheadMs: minutes * 60_000 } }));
      expect((await send('evt_1')).status).toBe(204);
      expect(verifies(0)).toBe(false);
      const { headers = {}, body = '' } = receiver.posts[0] ?? {};
      const signedAt = new Date(Number(headers['webhook-timestamp']) * 1_000);
      expect((signedAt.getTime() - Date.now()) / 60_000).toBeCloseTo(minutes, 0);
      expect(headers['webhook-signature']).toBe(new Webhook(SECRET).sign('evt_1', signedAt, body));
    },
  );

  test('meets only the faults of its own event', async () => {
    proxy.add(deliver());
    await send('evt_1', 'domain.verified');
    expect(receivedIds()).toEqual(['evt_1']);
  });
});

test('a webhook whose signing secret did not pass the proxy cannot be signed again, which is reported as an error of the script', async () => {
  await proxy.stop();
  await service.close();
  service = await startAnswerServer(({ body }, response) => {
    postTo = (JSON.parse(body) as { url: string }).url;
    sendJson(response, 201, { id: 'whk_1', url: postTo });
  });
  proxy = await startFaultProxy({
    target: service.baseUrl,
    script: [deliver({ change: { kind: 'wrongClock', aheadMs: 1 } })],
  });
  await register();
  await expect(send('evt_1')).rejects.toThrow('fetch failed');
  await expect(proxy.stop()).rejects.toMatchObject({
    errors: [{ message: expect.stringContaining('did not pass this proxy') as string }],
  });
  proxy = await startFaultProxy({ target: service.baseUrl });
});

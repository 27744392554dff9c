import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../../src/lib/dns/public-address.ts';
import { createWebhookClient, type WebhookClientOptions } from '../../../src/lib/webhooks/webhook-client.ts';
import { startTestReceiver } from '../../support/test-receiver.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function client(options: Partial<WebhookClientOptions> = {}) {
  const made = createWebhookClient({
    allowHttp: true,
    mayConnectTo: () => true,
    now: () => new Date('2026-11-21T12:00:00Z'),
    ...options,
  });
  ends.push(() => made.close());
  return made;
}

async function receiver(...parameters: Parameters<typeof startTestReceiver>) {
  const started = await startTestReceiver(...parameters);
  ends.push(() => started.stop());
  return started;
}

describe('a post', () => {
  test('carries exactly the given headers and bytes', async () => {
    const { url, posts } = await receiver((response) => response.writeHead(204).end());
    const outcome = await client().post(`${url}/hook?token=x`, { 'webhook-id': 'evt_1' }, '{"a":"é"}');
    expect(outcome).toEqual({ kind: 'answered', statusCode: 204, retryAfterMs: undefined });
    expect(posts).toMatchObject([
      {
        path: '/hook?token=x',
        body: '{"a":"é"}',
        headers: { 'webhook-id': 'evt_1', 'content-type': 'application/json', 'user-agent': 'sendoff' },
      },
    ]);
  });

  test('does not follow a redirect', async () => {
    const target = await receiver((response) => response.writeHead(200).end());
    const { url } = await receiver((response) => response.writeHead(307, { location: target.url }).end());
    expect(await client().post(url, {}, '{}')).toMatchObject({ kind: 'answered', statusCode: 307 });
    expect(target.posts).toEqual([]);
  });

  test.each([
    ['seconds', '90', 90_000],
    ['a date', 'Sat, 21 Nov 2026 12:01:00 GMT', 60_000],
  ])('passes on a Retry-After in %s', async (_, header, retryAfterMs) => {
    const { url } = await receiver((response) => response.writeHead(503, { 'retry-after': header }).end());
    expect(await client().post(url, {}, '{}')).toEqual({ kind: 'answered', statusCode: 503, retryAfterMs });
  });

  test('gives up on a receiver that does not answer in time', async () => {
    const { url } = await receiver(() => undefined);
    expect(await client({ timeoutMs: 100 }).post(url, {}, '{}')).toEqual({
      kind: 'unanswered',
      reason: 'no answer within 0.1 seconds',
    });
  });

  const chunk = 'x'.repeat(64 * 1024);
  test.each<[string, (response: ServerResponse) => unknown, string]>([
    ['never completes', (response) => response.write('ok'), 'is incomplete'],
    ['disconnects', (response) => response.write('ok', () => response.destroy()), 'is incomplete'],
    [
      'never ends and is large',
      (response) => Array.from({ length: 100 }, () => response.write(chunk)),
      'is larger than 1048576 bytes',
    ],
  ])('has no answer if the body of a 200 %s', async (_, fill, what) => {
    const { url } = await receiver((response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' });
      fill(response);
    });
    expect(await client({ timeoutMs: 3_000 }).post(url, {}, '{}')).toEqual({
      kind: 'unanswered',
      reason: `answered 200, but the response ${what}`,
    });
  });

  test('accepts responses of half a megabyte, one after the other on a connection', async () => {
    const { url } = await receiver((response) => response.writeHead(200).end(chunk.repeat(8)));
    const posts = client();
    for (let time = 0; time < 4; time += 1)
      expect(await posts.post(url, {}, '{}')).toMatchObject({ kind: 'answered', statusCode: 200 });
  });

  test('reports why the connection failed, without the URL', async () => {
    const { url, stop } = await startTestReceiver(() => undefined);
    await stop();
    expect(await client().post(`${url}/hook?token=secret`, {}, '{}')).toEqual({
      kind: 'unanswered',
      reason: 'connection failed (ECONNREFUSED)',
    });
  });
});

describe('a post that its caller aborts', () => {
  test('rejects with the reason, which no retry schedule counts', async () => {
    const controller = new AbortController();
    const { url } = await receiver(() => {
      controller.abort(new Error('the Worker shuts down'));
    });
    await expect(client().post(url, {}, '{}', controller.signal)).rejects.toThrow('the Worker shuts down');
  });
});

describe('a post to the public internet', () => {
  const publicOnly = { allowHttp: false, mayConnectTo: isPublicAddress };
  const refused = { kind: 'unanswered', reason: 'the host has no public address' };

  test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0', '10.0.0.1', '169.254.169.254'])(
    'never goes to %s',
    async (host) => {
      const { port, connections } = await receiver((response) => response.end());
      const outcome = await client(publicOnly).post(`https://${host}:${String(port)}/`, {}, '{}');
      expect(outcome).toEqual(refused);
      expect(connections()).toBe(0);
    },
  );

  test('never goes to a name that resolves to a private address', async () => {
    const { port, connections } = await receiver((response) => response.end());
    const outcome = await client(publicOnly).post(`https://localhost:${String(port)}/`, {}, '{}');
    expect(outcome).toEqual(refused);
    expect(connections()).toBe(0);
  });

  test.each(['::ffff:127.0.0.1', '::ffff:a00:1', '64:ff9b::7f00:1', '2002:7f00:1::1', '::127.0.0.1', 'fd00::1'])(
    'never goes to a name or a literal of %s',
    async (address) => {
      const { port, connections } = await receiver((response) => response.end());
      const lookUp = async () => [{ address, family: 6 }];
      for (const host of ['carried.test', `[${address}]`]) {
        const outcome = await client({ ...publicOnly, lookUp }).post(`https://${host}:${String(port)}/`, {}, '{}');
        expect(outcome).toEqual(refused);
      }
      expect(connections()).toBe(0);
    },
  );

  // Stands for the public internet, so that no packet leaves the machine.
  const mayConnectTo = (address: string) => address === '127.0.0.2';

  test('connects to the address that was checked, even if the name resolves differently afterwards', async () => {
    const open = await receiver((response) => response.end(), { host: '127.0.0.2' });
    const closed = await receiver((response) => response.end(), { port: open.port });
    const addresses = ['127.0.0.2', '127.0.0.1'];
    const lookUps: string[] = [];
    const rebinding = client({
      allowHttp: false,
      mayConnectTo,
      lookUp: async (hostname) => {
        lookUps.push(hostname);
        return [{ address: addresses[lookUps.length - 1] ?? '127.0.0.1', family: 4 }];
      },
    });
    // The receiver does not speak TLS, so an opened connection fails.
    expect(await rebinding.post(`https://rebind.test:${String(open.port)}/`, {}, '{}')).not.toEqual(refused);
    expect(await rebinding.post(`https://rebind.test:${String(open.port)}/`, {}, '{}')).toEqual(refused);
    expect(lookUps).toEqual(['rebind.test', 'rebind.test']);
    expect([open.connections(), closed.connections()]).toEqual([1, 0]);
  });

  test('skips the private addresses of a name that has both kinds', async () => {
    const open = await receiver((response) => response.end(), { host: '127.0.0.2' });
    const closed = await receiver((response) => response.end(), { port: open.port });
    const lookUp = async () => ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
    await client({ allowHttp: false, mayConnectTo, lookUp }).post(`https://both.test:${String(open.port)}/`, {}, '{}');
    expect([open.connections(), closed.connections()]).toEqual([1, 0]);
  });

  test('is never made without TLS', async () => {
    const { url, connections } = await receiver((response) => response.end());
    expect(await client(publicOnly).post(url, {}, '{}')).toEqual({
      kind: 'unanswered',
      reason: 'the URL is not https',
    });
    expect(connections()).toBe(0);
  });
});

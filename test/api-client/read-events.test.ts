import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createSendoffClient, type EventsOptions, type SendoffEvent } from '../../src/api-client/sendoff-client.ts';
import { startScriptedServer } from './scripted-server.ts';

/** Sends events with these ids, then ends the response or, with `open`, leaves it open. */
const events =
  (ids: readonly number[], { open = false } = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': keep\nretry: 10\n\n');
    for (const id of ids) response.write(`id: ${id}\nevent: onboarding.started\ndata: {"tenantId":"t${id}"}\n\n`);
    if (!open) response.end();
  };

async function read(baseUrl: string, count: number, options: EventsOptions = {}): Promise<SendoffEvent[]> {
  const found: SendoffEvent[] = [];
  if (count === 0) return found;
  for await (const event of createSendoffClient({ baseUrl, token: 'token' }).events(options)) {
    found.push(event);
    if (found.length === count) break;
  }
  return found;
}

test('yields the events of one tenant, and closes the connection when the caller leaves the loop', async () => {
  let closed: Promise<unknown> | undefined;
  const { baseUrl, requests } = await startScriptedServer((response) => {
    closed = new Promise((resolve) => response.once('close', resolve));
    events([7, 8], { open: true })(response);
  });
  expect(await read(baseUrl, 2, { tenantId: 'a/b' })).toEqual([
    { id: '7', type: 'onboarding.started', data: { tenantId: 't7' } },
    { id: '8', type: 'onboarding.started', data: { tenantId: 't8' } },
  ]);
  await closed;
  expect(requests).toMatchObject([
    { call: 'GET /onboardings/a%2Fb/events', headers: { authorization: 'Bearer token', accept: 'text/event-stream' } },
  ]);
  expect(requests[0]?.headers['last-event-id']).toBeUndefined();
});

test('continues after the last event when the connection breaks or the API is unavailable', async () => {
  const reasons: string[] = [];
  const { baseUrl, requests } = await startScriptedServer(
    events([7]),
    (response) => void response.writeHead(503).end(JSON.stringify({ code: 'unavailable', detail: 'Try again' })),
    (response) => {
      events([8], { open: true })(response);
      setImmediate(() => response.destroy());
    },
    events([9]),
  );
  const found = await read(baseUrl, 3, {
    lastEventId: '6',
    onDisconnect: ({ message }) => reasons.push(message),
  });
  expect(found.map(({ id }) => id)).toEqual(['7', '8', '9']);
  expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual(['6', '7', '7', '8']);
  expect(reasons).toMatchObject(['the server closed the connection', 'unavailable: Try again', expect.any(String)]);
});

test('continues after a heartbeat when the connection breaks before the first event', async () => {
  const { baseUrl, requests } = await startScriptedServer(
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('retry: 10\n\nid: 41\nevent: heartbeat\ndata: {}\n\n');
    },
    events([42]),
  );
  expect((await read(baseUrl, 1)).map(({ id }) => id)).toEqual(['42']);
  expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '41']);
});

test('a message without an ID keeps the position', async () => {
  const { baseUrl, requests } = await startScriptedServer(
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('retry: 10\n\nid: 41\ndata: {}\n\ndata: {}\n\n');
    },
    events([42]),
  );
  expect((await read(baseUrl, 3)).map(({ id }) => id)).toEqual(['41', '41', '42']);
  expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '41']);
});

test('throws the problem of a request that the API refuses', async () => {
  const { baseUrl, requests } = await startScriptedServer(
    (response) => void response.writeHead(401).end(JSON.stringify({ code: 'invalid_api_key', detail: 'Send a token' })),
  );
  await expect(read(baseUrl, 1)).rejects.toMatchObject({ code: 'invalid_api_key', status: 401 });
  expect(requests).toHaveLength(1);
});

test('throws the reason of the signal while it waits for an event', async () => {
  const stop = new AbortController();
  const { baseUrl } = await startScriptedServer((response) => {
    events([], { open: true })(response);
    setImmediate(() => {
      stop.abort(new Error('stopped'));
    });
  });
  await expect(read(baseUrl, 1, { signal: stop.signal })).rejects.toThrow('stopped');
});

test('does not buffer an event without end', async () => {
  const reasons: string[] = [];
  const { baseUrl } = await startScriptedServer(
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('retry: 10\n\n');
      response.end(`data: ${'x'.repeat(5_000_000)}`);
    },
    events([1]),
  );
  await read(baseUrl, 1, { onDisconnect: ({ message }) => reasons.push(message) });
  expect(reasons).toEqual([expect.stringContaining('buffer')]);
});

import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildHttpApp } from '../../src/http/app.ts';
import { eventRoutes } from '../../src/http/routes/onboarding/events.ts';
import { sharedSchemas } from '../../src/http/schemas/shared-schemas.ts';
import { createHttpApp, type HttpApp } from '../../src/lib/http/create-http-app.ts';
import { httpDependencies, runningView } from '../support/http-dependencies.ts';
import { authorization } from '../support/http-requests.ts';
import { beginOnboarding } from '../support/begin-onboarding.ts';
import { openTestRegister, type TestRegister } from '../support/test-register.ts';

let opened: TestRegister;
let app: HttpApp;
let url: string;
let polls: number;
const ends: (() => void)[] = [];

beforeEach(async () => {
  opened = await openTestRegister();
  polls = 0;
  const { register } = opened;
  app = buildHttpApp(
    httpDependencies({
      register: {
        ...register,
        events: (page) => {
          polls += 1;
          return register.events(page);
        },
      },
      views: {
        ...httpDependencies().views,
        get: async (tenantId) => ((await register.get(tenantId)) === undefined ? undefined : runningView({ tenantId })),
      },
    }),
  );
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await app.close();
  await opened.end();
});

const claimed = (tenantId: string, by: string): Promise<unknown> =>
  opened.register.addEvent(tenantId, { type: 'api_key.claimed', data: { by } }, new Date().toISOString());

interface Listener {
  readonly status: number;
  /** Everything received so far. */
  readonly text: () => string;
  /** The `by` of each event. */
  readonly received: () => string[];
  readonly lastId: () => string;
  readonly closed: Promise<void>;
}

async function listen(path: string, lastEventId?: string): Promise<Listener> {
  const aborted = new AbortController();
  ends.push(() => {
    aborted.abort();
  });
  const answer = await fetch(`${url}${path}`, {
    headers: { authorization, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
    signal: aborted.signal,
  });
  let text = '';
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>)
      text += decoder.decode(chunk, { stream: true });
  };
  const closed = read().catch(() => undefined);
  return {
    status: answer.status,
    text: () => text,
    received: () => [...text.matchAll(/"by":"([^"]*)"/g)].map(([, by = '']) => by),
    lastId: () => [...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? '',
    closed,
  };
}

test('sends the events of all tenants, or of one, as they happen', async () => {
  for (const tenantId of ['acme', 'globex']) await beginOnboarding(opened.register, tenantId);
  const [all, one] = await Promise.all([listen('/events'), listen('/onboardings/acme/events')]);
  await expect.poll(() => one.text()).toContain('retry: ');
  await claimed('globex', 'bob');
  await claimed('acme', 'ada');
  await expect.poll(() => all.received()).toEqual(['bob', 'ada']);
  await expect.poll(() => one.received()).toEqual(['ada']);
  expect(one.text()).toMatch(/^id: \d+\nevent: api_key\.claimed\ndata: \{"eventId":"evt_/m);
});

test('resumes after Last-Event-ID, without a gap and without a repetition', async () => {
  await beginOnboarding(opened.register, 'acme');
  const first = await listen('/events', '0');
  for (let n = 1; n <= 60; n += 1) await claimed('acme', String(n));
  await expect.poll(() => first.received().length).toBeGreaterThan(0);
  const events = await opened.register.events({ after: 0, limit: 100 });
  const tenth = events.find(({ data }) => data['by'] === '10')?.id;
  const resumed = await listen('/onboardings/acme/events', String(tenth));
  await expect.poll(() => resumed.received().length).toBe(50);
  await claimed('acme', '61');
  const expected = Array.from({ length: 51 }, (_, n) => String(n + 11));
  await expect.poll(() => resumed.received()).toEqual(expected);
});

test('polls the database once for any number of listeners', async () => {
  await beginOnboarding(opened.register, 'acme');
  const listeners = await Promise.all(Array.from({ length: 20 }, () => listen('/events')));
  await claimed('acme', 'first');
  for (const { received } of listeners) await expect.poll(received).toEqual(['first']);
  const before = polls;
  await claimed('acme', 'second');
  for (const { received } of listeners) await expect.poll(received).toEqual(['first', 'second']);
  expect(polls - before).toBeLessThan(20);
});

describe('a Last-Event-ID', () => {
  test('of events that are no longer kept is answered by reset, and by what is kept', async () => {
    await beginOnboarding(opened.register, 'acme');
    for (const by of ['1', '2', '3']) await claimed('acme', by);
    await opened.database.deleteFrom('onboarding_events').where('id', '<', 4).execute();
    const listener = await listen('/events', '1');
    await expect.poll(() => listener.received()).toEqual(['3']);
    expect(listener.text()).toContain('event: reset\ndata: {"lastEventId":1,"oldest":4,"latest":4}');
  });

  test('of a later database is answered by reset', async () => {
    await beginOnboarding(opened.register, 'acme');
    const listener = await listen('/events', '999');
    await expect.poll(() => listener.text()).toContain('event: reset');
    await claimed('acme', 'ada');
    await expect.poll(() => listener.received()).toEqual(['ada']);
  });

  test.each(['last', '-1', '1.5', '9'.repeat(16)])('%s is refused', async (lastEventId) => {
    expect((await listen('/events', lastEventId)).status).toBe(400);
  });
});

test('answers 404 for a tenant without an onboarding', async () => {
  expect((await listen('/onboardings/unknown/events')).status).toBe(404);
});

test('refuses the stream after the two hundredth, and accepts one when another ends', async () => {
  const listeners = await Promise.all(Array.from({ length: 200 }, () => listen('/events')));
  expect(listeners.every(({ status }) => status === 200)).toBe(true);
  const refused = await fetch(`${url}/events`, { headers: { authorization } });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('30');
  expect(await refused.json()).toMatchObject({ code: 'too_many_streams' });
  ends.splice(0, 1).forEach((end) => {
    end();
  });
  await expect.poll(async () => (await listen('/events')).status).toBe(200);
});

test('disconnects a listener that takes nothing, having read only a part of the events for it', async () => {
  await beginOnboarding(opened.register, 'acme');
  const at = new Date().toISOString();
  const data = JSON.stringify({ text: 'x'.repeat(100_000) });
  const rows = Array.from({ length: 400 }, (_, n) => ({
    ...{
      event_id: `evt_${n}`,
      tenant_id: 'acme',
      attempt_id: 'attempt-of-acme',
      type: 'onboarding.requested' as const,
    },
    ...{ at, data, delivery: 'none' as const, attempts: 0 },
  }));
  for (const row of rows) await opened.database.insertInto('onboarding_events').values(row).execute();
  let sent = 0;
  const patient = createHttpApp({ logger: undefined, bodyLimit: 1_000, realm: 'sendoff', patternMeanings: {} });
  patient.setSerializerCompiler(() => JSON.stringify);
  for (const schema of sharedSchemas) patient.addSchema(schema);
  eventRoutes(
    patient,
    {
      views: httpDependencies().views,
      register: {
        ...httpDependencies().register,
        eventRange: () => opened.register.eventRange(),
        async events(page) {
          const events = await opened.register.events(page);
          sent += events.length;
          return events;
        },
      },
    },
    { stalledMs: 300 },
  );
  const { port } = new URL(await patient.listen({ host: '127.0.0.1', port: 0 }));
  const socket = connect(Number(port), '127.0.0.1');
  try {
    socket.pause();
    socket.write('GET /events HTTP/1.1\r\nHost: sendoff\r\nLast-Event-ID: 0\r\n\r\n');
    const connections = (): Promise<number> =>
      new Promise((resolve, reject) => {
        patient.server.getConnections((error, count) => {
          if (error) reject(error);
          else resolve(count);
        });
      });
    await expect.poll(() => sent).toBeGreaterThan(0);
    expect(await connections()).toBe(1);
    await expect.poll(connections, { timeout: 10_000 }).toBe(0);
    // 40 MB were waiting; the buffers of the two sockets hold a few of them.
    expect(sent).toBeLessThan(200);
  } finally {
    socket.destroy();
    await patient.close();
  }
});

test('closes every stream when the server stops', async () => {
  const listener = await listen('/events');
  await app.close();
  await listener.closed;
  expect(listener.text()).toContain('retry: ');
});

import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildHttpApp } from '../../src/http/app.ts';
import type { StoredNotification } from '../../src/store/upkeep/notification-queue.ts';
import { httpDependencies } from '../support/http-dependencies.ts';
import { request } from '../support/http-requests.ts';
import { type NotifiedRegister, openNotifiedRegister } from '../support/notified-register.ts';

let opened: NotifiedRegister;
let woken: string[];
let app: FastifyInstance;
beforeEach(async () => {
  opened = await openNotifiedRegister();
  woken = [];
  app = startApp({ queue: opened.queue, wake: (tenantId) => woken.push(tenantId) });
  for (const reason of ['1', '2', '3']) {
    await opened.add('acme', reason);
    await opened.add('globex', reason);
  }
});
afterEach(async () => {
  await app.close();
  await opened.end();
});

const startApp = (notifications?: Parameters<typeof buildHttpApp>[0]['notifications']) =>
  buildHttpApp(httpDependencies({ notifications }));

const call = (method: 'GET' | 'POST', url: string, to = app) => request(to, method, url);
const list = async (query: string) =>
  (await call('GET', `/notifications${query}`)).json<{ data: StoredNotification[]; next_cursor: string | null }>();
const shown = ({ tenantId, data }: StoredNotification) => `${tenantId} ${String(data['reason'])}`;

test('lists the latest first, a page at a time, without what the backend is not notified of', async () => {
  const first = await list('?limit=4');
  expect(first.data.map(shown)).toEqual(['globex 3', 'acme 3', 'globex 2', 'acme 2']);
  const second = await list(`?limit=4&cursor=${first.next_cursor}`);
  expect(second.data.map(shown)).toEqual(['globex 1', 'acme 1']);
  expect(second.next_cursor).toBeNull();
});

test('lists those of a tenant, a status or a type', async () => {
  const [latest] = (await list('?tenant=acme')).data;
  await opened.queue.endAttempt(latest?.id ?? '', 'failed', 'backend.test answered 500', '2026-01-01T00:00:00.000Z');
  expect((await list('?tenant=acme')).data.map(shown)).toEqual(['acme 3', 'acme 2', 'acme 1']);
  expect((await list('?status=failed')).data.map(shown)).toEqual(['acme 3']);
  expect((await list('?tenant=acme&status=pending&limit=1')).data.map(shown)).toEqual(['acme 2']);
  expect((await list('?type=domain.drifted')).data).toHaveLength(6);
  expect((await list('?type=domain.recovered&status=pending')).data).toEqual([]);
  expect((await call('GET', `/notifications/${latest?.id}`)).json()).toMatchObject({
    id: latest?.id,
    tenantId: 'acme',
    type: 'domain.drifted',
    data: { reason: '3' },
    status: 'failed',
    lastError: 'backend.test answered 500',
    replayedAt: null,
  });
});

test('replays a delivered notification, and wakes its tenant', async () => {
  const [latest] = (await list('?tenant=acme')).data;
  await opened.queue.endAttempt(latest?.id ?? '', 'delivered', null, '2026-01-01T00:00:00.000Z');
  const answer = await call('POST', `/notifications/${latest?.id}/replay`);
  expect(answer.statusCode).toBe(202);
  expect(answer.json()).toMatchObject({
    id: latest?.id,
    status: 'pending',
    attempts: 0,
    replayedAt: expect.any(String),
  });
  expect(woken).toEqual(['acme']);
  expect((await opened.queue.next('acme'))?.data).toMatchObject({ reason: '1' });
});

test('answers 404 for an unknown notification, and for an event without one', async () => {
  const [started] = await opened.register.events({ after: 0, limit: 1 });
  for (const id of ['evt_unknown', started?.eventId, 'x'.repeat(300)]) {
    for (const answer of [
      await call('GET', `/notifications/${id}`),
      await call('POST', `/notifications/${id}/replay`),
    ]) {
      expect(answer.json()).toMatchObject({ status: 404, code: 'not_found' });
    }
  }
  expect(woken).toEqual([]);
});

test.each(['limit=0', 'limit=101', 'status=lost', 'type=onboarding.started', 'cursor=abc', 'tenants=acme'])(
  'answers 422 for ?%s',
  async (query) => {
    const answer = await call('GET', `/notifications?${query}`);
    expect(answer.json()).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: `/${query.split('=')[0] ?? ''}` }],
    });
  },
);

test('answers 503 notifications_off if no backend is configured', async () => {
  const off = startApp();
  expect((await call('GET', '/notifications', off)).json()).toMatchObject({ status: 503, code: 'notifications_off' });
  await off.close();
});

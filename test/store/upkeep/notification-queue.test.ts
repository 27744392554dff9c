import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Stage } from '../../../src/onboarding/stage.ts';
import { runningTenants } from '../../../src/store/onboarding/running-tenants.ts';
import { createSqlNotificationQueue } from '../../../src/store/upkeep/notification-queue.ts';
import { beginOnboarding } from '../../support/begin-onboarding.ts';
import { type NotifiedRegister, openNotifiedRegister } from '../../support/notified-register.ts';
import { requiredRecord } from '../../support/register-api.ts';
import { databaseKind } from '../../support/test-database.ts';
import { recordQueries } from '../../support/record-queries.ts';

let opened: NotifiedRegister;
beforeEach(async () => {
  opened = await openNotifiedRegister();
});
afterEach(() => opened.end());

test('of 200 tenants, exactly the three with a mistake in their DNS get needs_attention, once each', async () => {
  const { register, queue, database } = opened;
  // Every write would wait for the disk.
  if (databaseKind() === 'sqlite') await sql`pragma synchronous = off`.execute(database);
  const tenants = Array.from({ length: 200 }, (_, index) => `tenant-${String(index)}`);
  const mistaken = ['tenant-177', 'tenant-7', 'tenant-77'];
  const record = requiredRecord('acme.test', { findings: [] });
  for (const tenantId of tenants) {
    await beginOnboarding(register, tenantId);
    const at = new Date().toISOString();
    const run = { tenantId, attemptId: `attempt-of-${tenantId}`, runId: `attempt-of-${tenantId}`, at };
    await register.note(run, { domainId: `dom-of-${tenantId}`, records: [record] });
    await register.enter(run, Stage.awaitingDomain, new Date(Date.now() + 72 * 3_600_000).toISOString());
    const code = mistaken.includes(tenantId) ? 'host_doubled' : 'not_published';
    const checked = { ...record, findings: [{ code, name: record.name, fix: 'Publish it at key' }] };
    for (let check = 0; check < 3; check++) await register.note(run, { records: [checked] }, at);
  }
  const needing = await queue.list({ type: 'onboarding.needs_attention' }, { limit: 500 });
  expect(needing.map(({ tenantId }) => tenantId).sort()).toEqual(mistaken);
  expect(needing[0]?.data).toMatchObject({
    reason: 'dns',
    findings: [{ code: 'host_doubled', fix: expect.any(String) }],
  });
  expect(await queue.list({}, { limit: 500 })).toHaveLength(tenants.length + mistaken.length);
});

test('the oldest pending notification is found, without those that were replayed', async () => {
  const { queue, add } = opened;
  expect(await queue.oldestPending()).toBeUndefined();
  for (const tenantId of ['a', 'b']) await add(tenantId, 'reason');
  const [second, first] = await queue.list({}, { limit: 10 });
  if (first === undefined || second === undefined) throw new Error('not listed');
  expect(await queue.oldestPending()).toBe(first.at);
  await queue.endAttempt(first.id, 'delivered', null, new Date().toISOString());
  await queue.replay(first.id, new Date().toISOString());
  expect(await queue.oldestPending()).toBe(second.at);
});

test('the sweep reads tenants a page at a time', async () => {
  const { queue, add, database } = opened;
  for (const tenantId of ['a', 'b', 'b', 'c']) await add(tenantId, 'reason');
  expect(await queue.tenants({ after: '', limit: 2 })).toEqual(['a', 'b']);
  expect(await queue.tenants({ after: 'b', limit: 2 })).toEqual(['c']);
  expect(await runningTenants(database, { after: 'a', limit: 1 })).toEqual(['b']);
});

test('the refusal of a late attempt does not replace that a later one was accepted', async () => {
  const { queue, add } = opened;
  await add('acme', 'reason');
  const [{ id } = { id: '' }] = await queue.list({}, { limit: 10 });
  await queue.endAttempt(id, 'delivered', null, '2026-01-01T00:00:00.000Z');
  for (const late of ['pending', 'failed'] as const) {
    await queue.endAttempt(id, late, 'refused', '2026-01-01T00:00:01.000Z');
    expect(await queue.get(id)).toMatchObject({ status: 'delivered', lastError: null });
  }
});

test('no query of notifications reads a whole table or sorts', async () => {
  const { database, expectIndexed } = recordQueries(opened.database);
  const queue = createSqlNotificationQueue(database);
  await opened.add('acme', 'reason');
  const [{ id } = { id: '' }] = await queue.list({}, { limit: 10 });
  await queue.next('acme');
  await queue.beginAttempt(id, '2026-01-01T00:00:00.000Z');
  await queue.endAttempt(id, 'failed', 'refused', '2026-01-01T00:00:00.000Z');
  await queue.replay(id, '2026-01-01T00:00:00.000Z');
  await queue.tenants({ after: '', limit: 10 });
  await runningTenants(database, { after: '', limit: 10 });
  const filters = [{ tenantId: 'acme' }, { status: 'pending' }, { type: 'onboarding.failed' }] as const;
  for (const filter of [...filters, Object.assign({}, ...filters) as (typeof filters)[0]]) {
    await queue.list(filter, { limit: 10, before: 100 });
  }
  await expectIndexed();
});

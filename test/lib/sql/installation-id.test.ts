import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../../src/email-service/store/open-store.ts';
import { deliveriesTaskQueueOf, emailServiceNames } from '../../../src/email-service/workflows/email-service-names.ts';
import { installationIdOf } from '../../../src/lib/sql/installation-id.ts';
import { openTestStore } from '../../email-service/support/test-store.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'installation-id-'));
});
afterEach(() => rm(folder, { recursive: true }));

const idIn = async (file: string): Promise<string> => {
  const store = await openStore(`file:${join(folder, file)}`);
  const id = await installationIdOf(store);
  await store.destroy();
  return id;
};

test('a database keeps the id of its installation, and no other database has it', async () => {
  const id = await idIn('one.db');
  expect(id).toMatch(/^[0-9a-f]{12}$/);
  expect(await idIn('one.db')).toBe(id);
  expect(await idIn('other.db')).not.toBe(id);
});

test('Workflow Ids and Task Queues carry the installation', () => {
  const names = emailServiceNames('0a1b2c3d4e5f');
  expect(names).toMatchObject({
    taskQueue: 'email-service/0a1b2c3d4e5f',
    deliveriesTaskQueue: 'email-service-deliveries/0a1b2c3d4e5f',
    sweepOutboxWorkflowId: 'email-service/0a1b2c3d4e5f/sweep-outbox',
  });
  expect(names.workflowId('deliver-webhook/evt_1/whk_1')).toBe('deliver-webhook/0a1b2c3d4e5f/evt_1/whk_1');
  // What a Workflow of an earlier version, on the queue without an id, computes when it is replayed.
  expect(deliveriesTaskQueueOf('email-service')).toBe('email-service-deliveries');
});

test('work that was under way in a database without an installation id is owed again', async () => {
  const before = await openTestStore();
  const queued = await before.email();
  await before.email({ status: 'delivered' });
  const { id: webhookId } = await before.webhook(['email.delivered']);
  await sql`insert into events (id, account_id, number, type, data, created_at)
            values ('evt_1', ${before.accountId}, 1, 'email.delivered', '{}', '2026-01-01T00:00:00.000Z')`.execute(
    before.store,
  );
  await sql`insert into webhook_deliveries (event_id, webhook_id, status, attempts, created_at)
            values ('evt_1', ${webhookId}, 'pending', 3, '2026-01-01T00:00:00.000Z')`.execute(before.store);
  // As the version before left it.
  await sql`drop table installation`.execute(before.store);
  for (const index of ['outbox_oldest', 'emails_queued', 'domains_pending', 'webhook_deliveries_pending']) {
    await sql`drop index ${sql.ref(index)}`.execute(before.store);
  }
  await sql`delete from kysely_migration where name >= '0003'`.execute(before.store);
  const after = await openStore(before.databaseUrl);
  const owed = await after.selectFrom('outbox').selectAll().orderBy('workflow_type').execute();
  expect(owed.map(({ workflow_id, input }) => [workflow_id, JSON.parse(input) as unknown])).toEqual([
    [`deliver-email/${queued}`, { emailId: queued }],
    [`deliver-webhook/evt_1/${webhookId}`, { eventId: 'evt_1', webhookId }],
    [`verify-domain/${before.domainId}`, { domainId: before.domainId }],
  ]);
  await after.destroy();
  await before.end();
});

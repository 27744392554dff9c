import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrations, openStore } from '../../../src/email-service/store/open-store.ts';
import type { Schema } from '../../../src/email-service/store/schema.ts';
import { deliveriesTaskQueueOf, emailServiceNames } from '../../../src/email-service/workflows/email-service-names.ts';
import { installationIdOf } from '../../../src/lib/sql/installation-id.ts';
import { openSqlDatabase } from '../../../src/lib/sql/sql-database.ts';

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

/** As the version before the installation id left it: with a queued and a delivered email, a pending domain and a pending webhook. */
async function leaveByEarlierVersion(url: string): Promise<void> {
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0003'));
  const database = await openSqlDatabase<Schema>(url, earlier);
  const created = { account_id: 'acc_1', created_at: '2026-01-01T00:00:00.000Z' };
  await database.insertInto('accounts').values({ id: 'acc_1', name: 'acme', created_at: created.created_at }).execute();
  await database
    .insertInto('domains')
    .values({
      ...{ id: 'dom_1', ...created, name: 'acme.test', status: 'pending', dkim_selector: 'k1' },
      ...{ sealed_dkim_private_key: '', return_path_domain: 'bounce.acme.test', records: '[]' },
    })
    .execute();
  await database
    .insertInto('senders')
    .values({ id: 'snd_1', ...created, domain_id: 'dom_1', from_address: 'orders@acme.test' })
    .execute();
  const email = { ...created, sender_id: 'snd_1', recipient: 'person@inbox.test', subject: '', body: '' };
  const rest = { headers: '{}', metadata: '{}', message_id: '<1@acme.test>', expires_at: created.created_at };
  await database
    .insertInto('emails')
    .values([
      { id: 'eml_queued', ...email, ...rest, status: 'queued' },
      { id: 'eml_delivered', ...email, ...rest, status: 'delivered' },
    ])
    .execute();
  await database
    .insertInto('webhooks')
    .values({ id: 'whk_1', ...created, url: 'https://hooks.acme.test', events: '[]', sealed_signing_secret: '' })
    .execute();
  await database
    .insertInto('events')
    .values({ id: 'evt_1', ...created, number: 1, type: 'email.delivered', data: '{}' })
    .execute();
  await database
    .insertInto('webhook_deliveries')
    .values({ event_id: 'evt_1', webhook_id: 'whk_1', status: 'pending', attempts: 3, created_at: created.created_at })
    .execute();
  await database.destroy();
}

test('work that was under way in a database without an installation id is owed again', async () => {
  const url = `file:${join(folder, 'earlier.db')}`;
  await leaveByEarlierVersion(url);
  const after = await openStore(url);
  const owed = await after.selectFrom('outbox').selectAll().orderBy('workflow_type').execute();
  expect(owed.map(({ workflow_id, input }) => [workflow_id, JSON.parse(input) as unknown])).toEqual([
    ['deliver-email/eml_queued', { emailId: 'eml_queued' }],
    ['deliver-webhook/evt_1/whk_1', { eventId: 'evt_1', webhookId: 'whk_1' }],
    ['verify-domain/dom_1', { domainId: 'dom_1' }],
  ]);
  await after.destroy();
});

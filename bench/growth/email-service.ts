import { randomUUID } from 'node:crypto';
import { openStore } from '../../src/email-service/store/open-store.ts';
import { addToOutbox, claimStarts, deliverEmailStart, releaseStarts } from '../../src/email-service/store/outbox.ts';
import { inTransaction } from '../../src/lib/sql/transactions.ts';
import { createAccount, startEmailService } from '../email/start-email-service.ts';
import { startInfrastructure } from '../infrastructure.ts';
import type { Bench, Lines } from '../scenario.ts';
import { measureGrowth } from './measure-growth.ts';
import { copyRow, padded, settle } from './seed.ts';

/** Before every row of the measured calls. */
const LONG_AGO = new Date('2026-01-01T00:00:00.000Z');

/**
 * The calls of one account that has all rows: as many emails, Idempotency-Keys, attempts and events. With `--role http`, so that
 * nothing is delivered meanwhile. The outbox is that of another database, because a process would start its Workflows.
 */
export async function measureEmailService(bench: Bench): Promise<Lines> {
  const { signal } = bench;
  const infrastructure = await startInfrastructure(bench);
  const { databases } = infrastructure;
  const [store, outbox] = [
    await openStore(databases.emailService, { statementTimeoutMs: 0 }),
    await openStore(databases.outbox, { statementTimeoutMs: 0 }),
  ];
  bench.closers.add(() => Promise.all([store.destroy(), outbox.destroy()]));
  const service = await startEmailService(bench, infrastructure, { role: 'http', dnsPort: 1, smtpPort: 1 });
  const caller = await createAccount(bench, service, 'growth');
  const { id: domainId } = (await caller.post('/domains', { name: 'growth.example.com' })) as { id: string };
  await store.updateTable('domains').set({ status: 'verified' }).where('id', '=', domainId).execute();
  const sender = (await caller.post('/senders', { from_address: 'hello@growth.example.com' })) as { id: string };
  const send = async (): Promise<string> => {
    const email = {
      ...{ sender_id: sender.id, recipient: 'ada@example.net', tags: ['common'] },
      ...{ subject: 'Hi', body: 'It works.\n'.repeat(30) },
    };
    const headers = { 'idempotency-key': randomUUID() };
    return ((await caller.post('/emails', email, headers)) as { id: string }).id;
  };

  const original = await send();
  const { id: accountId } = await store.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
  await store
    .insertInto('delivery_attempts')
    .values({
      ...{ email_id: original, number: 1, outcome: 'delivered', remote_mta: 'mx.example.net', reply_code: 250 },
      ...{ enhanced_status_code: '2.0.0', diagnostic: 'Accepted', lease_holder: 'p1', lease_until: 0 },
      ...{ started_at: LONG_AGO.toISOString(), finished_at: LONG_AGO.toISOString() },
    })
    .execute();
  await store
    .insertInto('events')
    .values({
      ...{ id: 'evt_original', account_id: accountId, number: -1, type: 'email.delivered' },
      ...{ data: JSON.stringify(await caller.get(`/emails/${original}`)), created_at: LONG_AGO.toISOString() },
    })
    .execute();
  await inTransaction(outbox, (transaction) => addToOutbox(transaction, [deliverEmailStart('original')], LONG_AGO));

  const [number, id, at] = [padded(store), `'eml_' || ${padded(store)}`, `'${LONG_AGO.toISOString()}'`];
  async function seed(from: number, to: number): Promise<void> {
    const range = { from, to, signal };
    await copyRow(store, {
      ...{ ...range, table: 'emails', original: `original.id = '${original}'` },
      differing: {
        ...{ id, created_at: at, expires_at: at, signed_message: 'original.body || original.body' },
        recipient: `'ada-' || n || '@example.net'`,
        status: `case when n % 50 = 0 then 'bounced' else 'delivered' end`,
      },
    });
    await copyRow(store, {
      ...{ ...range, table: 'email_tags', original: `original.email_id = '${original}'` },
      differing: { email_id: id, tag: `case when n % 1000 = 0 then 'rare' else 'common' end` },
    });
    await copyRow(store, {
      ...{ ...range, table: 'idempotency_keys', original: `original.email_id = '${original}'` },
      differing: { key: `'seed-' || ${number}`, email_id: id, created_at: at },
    });
    await copyRow(store, {
      ...{ ...range, table: 'delivery_attempts', original: `original.email_id = '${original}'` },
      differing: { email_id: id },
    });
    await copyRow(store, {
      ...{ ...range, table: 'events', original: `original.id = 'evt_original'` },
      differing: { id: `'evt_' || ${number}`, number: 'n + 1000' },
    });
    await copyRow(outbox, {
      ...{ ...range, table: 'outbox', original: `original.workflow_id = 'deliver-email/original'` },
      differing: { workflow_id: `'deliver-email/eml_' || ${number}` },
    });
    await settle(store);
    await settle(outbox);
  }

  return measureGrowth(
    bench,
    {
      '`POST /emails`': send,
      '`GET /emails/{id}`': () => caller.get(`/emails/${original}`),
      '`GET /emails`': () => caller.get('/emails'),
      '`GET /emails?status=bounced`': () => caller.get('/emails?status=bounced'),
      '`GET /emails?recipient=ada-123@example.net` (one)': () => caller.get('/emails?recipient=ada-123@example.net'),
      '`GET /emails?domain=example.net` (all)': () => caller.get('/emails?domain=example.net'),
      '`GET /emails?tag=rare` (one in a thousand)': () => caller.get('/emails?tag=rare'),
      '`GET /emails?tag=common&status=bounced`': () => caller.get('/emails?tag=common&status=bounced'),
      '`GET /emails?from=…&to=…` (all)': () => caller.get('/emails?from=2025-12-31T00:00:00Z&to=2026-01-02T00:00:00Z'),
      '`GET /events`': () => caller.get('/events'),
      'claim 20 rows of the outbox': async () => {
        const claimed = await claimStarts(outbox, 20);
        await releaseStarts(
          outbox,
          claimed.map(({ workflow_id }) => workflow_id),
        );
      },
    },
    seed,
  );
}

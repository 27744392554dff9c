// What an email costs: a feature that few emails use must add no statement to all others.
import type { KyselyPlugin } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAttemptDelivery } from '../../../src/email-service/activities/attempt-delivery.ts';
import { openStore, type Store } from '../../../src/email-service/store/open-store.ts';
import { testDatabase } from '../../support/test-database.ts';
import { processParts } from '../support/process-parts.ts';
import { email, type SendingApi, startSendingApi } from '../support/test-api.ts';

/** `insert into emails`, without columns and conditions. */
const shortened = (text: string): string =>
  (/^(?:insert into|update|delete from) "\w+"|^select .*? (from "\w+")/.exec(text)?.[0] ?? text)
    .replace(/^select .* from/, 'select from')
    .replaceAll('"', '');

let opened: Store;
let store: Store;
let api: SendingApi;
const statements: string[] = [];
const recorder: KyselyPlugin = {
  transformQuery({ node, queryId }) {
    statements.push(shortened(opened.getExecutor().compileQuery(node, queryId).sql));
    return node;
  },
  transformResult: async ({ result }) => result,
};
const taken = (): string[] => statements.splice(0);

beforeEach(async () => {
  const database = await testDatabase('email-service');
  opened = await openStore(database.url);
  store = opened.withPlugin(recorder);
  api = await startSendingApi({ store }, 'acme', Promise.resolve(database));
});
afterEach(async () => {
  await api.end();
  await opened.destroy();
});

test('a plain email costs these statements', async () => {
  taken();
  const accepted = await api.send({}, '1');
  expect(accepted.statusCode).toBe(202);
  expect(taken()).toEqual([
    'select from api_keys',
    'select from idempotency_keys',
    'insert into idempotency_keys',
    'select from senders',
    'insert into emails',
    'insert into outbox',
    'insert into sending_limits',
    'update idempotency_keys',
  ]);

  const deliver = createAttemptDelivery({
    ...processParts({ store, sealer: api.sealer }),
    deliverMessage: async () => ({
      ...{ kind: 'delivered', remoteMta: 'mx.recipient.test' },
      reply: { replyCode: 250, enhancedCode: undefined, text: 'ok' },
    }),
    now: () => api.clock.time,
  });
  const run = {
    ...{ heartbeat: () => undefined, cancelled: new AbortController().signal, isShuttingDown: () => false },
    ...{ dueAtMs: 0, waitedMs: 0 },
  };
  await deliver({ emailId: accepted.json<{ id: string }>().id }, run);
  expect(taken()).toEqual([
    'select from emails',
    'select from emails',
    'select from emails',
    'select from delivery_attempts',
    'update emails',
    'insert into delivery_attempts',
    'select from emails',
    'select from delivery_attempts',
    'update delivery_attempts',
    'delete from outbox',
    'update emails',
    'select from webhooks',
    'update accounts',
    'insert into events',
    'insert into account_outcomes',
  ]);
});

test('a batch to suppressed recipients reads the webhooks once, before its events lock the account', async () => {
  const url = 'https://hooks.acme.test/in';
  for (const type of ['email.bounced', 'email.delivered'])
    expect((await api.post('/webhooks', { url: `${url}/${type}`, events: [type] })).statusCode).toBe(201);
  const recipients = ['a@x.test', 'b@x.test', 'c@x.test'];
  for (const recipient of recipients) await api.put(`/suppressions/${encodeURIComponent(recipient)}`, {});
  taken();
  const emails = recipients.map((recipient) => email(api.senderId, { recipient }));
  expect((await api.post('/emails/batch', { emails }, { key: 'batch' })).statusCode).toBe(202);
  const statements = taken();
  const times = (statement: string): number => statements.filter((each) => each === statement).length;
  expect(['select from webhooks', 'insert into events', 'insert into webhook_deliveries'].map(times)).toEqual([
    1, 3, 3,
  ]);
  expect(statements.indexOf('select from webhooks')).toBeLessThan(statements.indexOf('update accounts'));
});

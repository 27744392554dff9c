import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { asActivity } from '../../../src/email-service/activities/attempt-context.ts';
import { createAttemptDelivery } from '../../../src/email-service/activities/attempt-delivery.ts';
import { recentOutcomes } from '../../../src/email-service/store/account-pauses.ts';
import { deliverTo, deliverToRelay } from '../support/deliver-over-smtp.ts';
import { expectDescribedEvents } from '../support/expect-described-events.ts';
import { processParts } from '../support/process-parts.ts';
import { type ScriptedSmtpServer, startScriptedSmtpServer } from '../support/scripted-smtp-server.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

/** A process that makes first attempts, as each that runs Workers does. */
const beginner = { makesFirstAttempts: true, begin: () => undefined };

let prepared: TestStore;
let server: ScriptedSmtpServer;
beforeEach(async () => {
  prepared = await openTestStore();
  server = await startScriptedSmtpServer();
});
afterEach(async () => {
  await server.stop();
  await expectDescribedEvents(prepared);
  await prepared.end();
});

async function send(recipient: string, deliverMessage = deliverTo(server.port)): Promise<string> {
  const id = await prepared.email({ recipient, recipient_domain: 'sandbox.invalid' });
  const deliver = createAttemptDelivery({ ...processParts(prepared), beginner, deliverMessage });
  await new MockActivityEnvironment().run(asActivity(deliver), { emailId: id });
  return id;
}

const kept = async (id: string) => {
  const email = await prepared.store.selectFrom('emails').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const read = (json: string | null) => (json === null ? undefined : (JSON.parse(json) as Record<string, unknown>));
  return [
    email.status,
    read(email.bounce)?.['category'],
    read(email.late_bounce)?.['category'],
    read(email.complaint)?.['type'],
  ];
};
const suppressed = async () =>
  (await prepared.store.selectFrom('suppressions').select('address').execute()).map(({ address }) => address);

test.each([
  ['delivered@sandbox.invalid', ['delivered', undefined, undefined, undefined], ['email.delivered'], []],
  [
    'Bounced+order-7@sandbox.invalid',
    ['bounced', 'recipient', undefined, undefined],
    ['email.bounced'],
    ['bounced+order-7@sandbox.invalid'],
  ],
  [
    'late-bounced@sandbox.invalid',
    ['delivered', undefined, 'recipient', undefined],
    ['email.delivered', 'email.late_bounced'],
    ['late-bounced@sandbox.invalid'],
  ],
  [
    'complained@sandbox.invalid',
    ['delivered', undefined, undefined, 'abuse'],
    ['email.delivered', 'email.complained'],
    ['complained@sandbox.invalid'],
  ],
])('%s has its outcome with what follows, and no server is asked', async (recipient, outcome, events, addresses) => {
  const { id: webhookId } = await prepared.webhook(events);
  const id = await send(recipient);
  expect([await kept(id), await prepared.eventTypes(), await suppressed()]).toEqual([outcome, events, addresses]);
  expect(await prepared.store.selectFrom('delivery_attempts').select(['number', 'remote_mta']).execute()).toEqual([
    { number: 1, remote_mta: 'sandbox.invalid' },
  ]);
  const posts = await prepared.store.selectFrom('webhook_deliveries').select('webhook_id').execute();
  expect(posts).toEqual(events.map(() => ({ webhook_id: webhookId })));
  expect([server.commands, server.messages]).toEqual([[], []]);
});

test('a relay is not asked either', async () => {
  const id = await send('delivered@sandbox.invalid', deliverToRelay(`smtp://127.0.0.1:${String(server.port)}`));
  expect([(await kept(id))[0], server.commands]).toEqual(['delivered', []]);
});

test('two hundred bounces neither warn nor pause the account, and deliveries do not hide real bounces', async () => {
  for (let n = 0; n < 110; n += 1) {
    await send(`bounced+${String(n)}@sandbox.invalid`);
    await send(`late-bounced+${String(n)}@sandbox.invalid`);
  }
  await send('delivered@sandbox.invalid');
  const { store, accountId } = prepared;
  const account = await store.selectFrom('accounts').selectAll().executeTakeFirstOrThrow();
  expect([account.paused_at, account.bounce_warned_at, await recentOutcomes(store, accountId, new Date())]).toEqual([
    ...[null, null, { delivered: 0, bounced: 0 }],
  ]);
});

import { ApplicationFailure } from '@temporalio/common';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FirstAttemptLimits, FirstAttempts } from '../../../src/email-service/background/first-attempts.ts';
import { pauseAccount } from '../../../src/email-service/store/account-pauses.ts';
import { beginAttempt } from '../../../src/email-service/store/delivery-attempts.ts';
import {
  claimStarts,
  deliverEmailStart,
  deliverWebhookStart,
  forgetStarts,
} from '../../../src/email-service/store/outbox.ts';
import { addSuppressions } from '../../../src/email-service/store/suppressions.ts';
import { databaseNow } from '../../../src/lib/sql/transactions.ts';
import { startScriptedSmtpServer, type ScriptedSmtpServer } from '../support/scripted-smtp-server.ts';
import { firstAttemptsOverSmtp } from '../support/first-attempts-over-smtp.ts';
import { breakEvents, mendEvents } from '../support/full-disk.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';
import { gate } from '../../support/held-calls.ts';

let prepared: TestStore;
let server: ScriptedSmtpServer;
let dispatched: number;
let logged: string[];
let firstAttempts: FirstAttempts;
beforeEach(async () => {
  prepared = await openTestStore();
  server = await startScriptedSmtpServer();
  dispatched = 0;
  logged = [];
  firstAttempts = process();
});
afterEach(async () => {
  await firstAttempts.stop();
  await server.stop();
  await prepared.end();
});

const process = (
  limits: Partial<FirstAttemptLimits> = {},
  deliverWebhook?: (input: { readonly eventId: string }) => Promise<unknown>,
): FirstAttempts =>
  firstAttemptsOverSmtp({
    store: prepared.store,
    sealer: prepared.sealer,
    smtpPort: server.port,
    dispatcher: { dispatchSoon: () => void (dispatched += 1) },
    logger: pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) }),
    limits,
    ...(deliverWebhook === undefined ? {} : { deliverWebhook }),
  });

/** The id of an email that was committed as POST /emails does. */
async function committed(): Promise<string> {
  const id = await prepared.email();
  await prepared.owe(deliverEmailStart(id), { claimed: true });
  return id;
}

async function begun({ accountId = prepared.accountId, destination = 'inbox.test' } = {}): Promise<string> {
  const id = await committed();
  firstAttempts.begin({ start: deliverEmailStart(id), accountId, destination });
  return id;
}

const ended = (id: string) => firstAttempts.ended(deliverEmailStart(id).workflowId);
const statusOf = async (id: string) =>
  (await prepared.store.selectFrom('emails').select('status').where('id', '=', id).executeTakeFirstOrThrow()).status;
const outboxRow = (id: string) =>
  prepared.store
    .selectFrom('outbox')
    .select((row) => ['not_before', row('claimed_until', '>', databaseNow(prepared.store)).as('is_claimed')])
    .where('workflow_id', '=', deliverEmailStart(id).workflowId)
    .executeTakeFirst();
const isLeft = async (id: string) => {
  const row = await outboxRow(id);
  return row !== undefined && !row.is_claimed;
};
const sessions = () => server.commands.filter((command) => command.startsWith('MAIL')).length;

describe('an email that its receiver accepts at once', () => {
  test('is delivered without a start of its Workflow', async () => {
    const id = await begun();
    await ended(id);
    expect(await statusOf(id)).toBe('delivered');
    expect(await outboxRow(id)).toBeUndefined();
    expect(server.messages).toHaveLength(1);
    expect(await claimStarts(prepared.store, 10)).toEqual([]);
    expect(ended(id)).toBeUndefined();
  });

  test('has no row that another process could start, before, during and long into the attempt', async () => {
    server.answer({ message: 'silence' });
    const waiting = await committed();
    const id = await begun();
    expect(await claimStarts(prepared.store, 10)).toEqual([]);
    await expect.poll(() => server.messages).toHaveLength(1);
    // As ten seconds do.
    await prepared.store.updateTable('outbox').set({ claimed_until: 0 }).execute();
    await expect.poll(async () => Boolean((await outboxRow(id))?.is_claimed)).toBe(true);
    expect((await claimStarts(prepared.store, 10)).map((row) => row.workflow_id)).toEqual([
      deliverEmailStart(waiting).workflowId,
    ]);
    server.say('250 2.0.0 kept');
    await ended(id);
    expect(await statusOf(id)).toBe('delivered');
    expect(await outboxRow(id)).toBeUndefined();
  });
});

test('an email whose recipient is suppressed bounces without a start of its Workflow', async () => {
  const id = await committed();
  const why = { cause: 'manual', reason: 'asked', email_id: null, now: new Date() } as const;
  await addSuppressions(prepared.store, prepared.accountId, ['person@inbox.test'], why, prepared.marks);
  firstAttempts.begin({ start: deliverEmailStart(id), accountId: prepared.accountId, destination: 'inbox.test' });
  await ended(id);
  expect(await statusOf(id)).toBe('bounced');
  expect(await outboxRow(id)).toBeUndefined();
});

test('what is begun again during its attempt is left to the Workflow, and the attempt goes on as before', async () => {
  server.answer({ message: 'silence' });
  const id = await begun();
  await expect.poll(() => server.messages).toHaveLength(1);
  firstAttempts.begin({ start: deliverEmailStart(id), accountId: prepared.accountId, destination: 'inbox.test' });
  await expect.poll(() => dispatched).toBe(1);
  const over = ended(id);
  expect(over).toBeDefined();
  server.say('250 2.0.0 kept');
  await over;
  expect(await statusOf(id)).toBe('delivered');
  expect(ended(id)).toBeUndefined();
});

describe('an email that is not delivered at once', () => {
  test('is left to its Workflow, which keeps the pause after the deferral', async () => {
    server.answer({ rcpt: '451 4.7.1 later' });
    const id = await begun();
    await expect.poll(() => dispatched).toBeGreaterThan(0);
    await expect.poll(() => isLeft(id)).toBe(true);
    const [row] = await claimStarts(prepared.store, 10);
    expect(row?.workflow_id).toBe(deliverEmailStart(id).workflowId);
    expect(row?.due_in_ms).toBeGreaterThan(50_000);
    expect(row?.due_in_ms).toBeLessThanOrEqual(66_000);
  });

  test('is left to its Workflow at once if another process has begun an attempt', async () => {
    const id = await committed();
    await beginAttempt(prepared.store, { emailId: id, holder: 'other', now: new Date() });
    firstAttempts.begin({ start: deliverEmailStart(id), accountId: prepared.accountId, destination: 'inbox.test' });
    await ended(id);
    await expect.poll(() => isLeft(id)).toBe(true);
    expect((await outboxRow(id))?.not_before).toBeNull();
    expect(server.commands).toEqual([]);
  });

  test('is left to its Workflow if the database fails, and the error is logged', async () => {
    server.answer({ rcpt: '550 5.1.1 unknown' });
    await breakEvents(prepared.store);
    const id = await begun();
    await ended(id);
    await expect.poll(() => isLeft(id)).toBe(true);
    expect(logged.join()).toContain('disk is full');
    await mendEvents(prepared.store);
  });
});

test('the emails of a paused account stay in the outbox for minutes, at times that differ, and no Workflow starts', async () => {
  await pauseAccount(prepared.store, {
    ...{ accountId: prepared.accountId, by: 'default', reason: 'spam', now: new Date(), claimed: false },
  });
  firstAttempts = process({ held: 100, heldForOne: 100 });
  const ids: string[] = [];
  for (let number = 0; number < 60; number += 1) ids.push(await begun());
  for (const id of ids) await ended(id);
  await firstAttempts.stop();
  const rows = await prepared.store.selectFrom('outbox').select(['workflow_id', 'claimed_until']).execute();
  expect(rows).toHaveLength(60);
  const ends = new Set(rows.map(({ claimed_until: until }) => until));
  expect(ends.size).toBeGreaterThanOrEqual(3);
  const heldForMs = Math.max(...rows.map(({ claimed_until: until }) => Number(until))) - Date.now();
  expect(heldForMs > 10_000 && heldForMs <= 4 * 60_000).toBe(true);
  expect([dispatched, sessions()]).toEqual([0, 0]);
});

test('what waits behind an email of a paused account is held without an attempt', async () => {
  const asked: string[] = [];
  firstAttempts = process({ runningForOne: 1 }, ({ eventId }) => {
    asked.push(eventId);
    return Promise.reject(
      ApplicationFailure.create({ type: eventId.startsWith('paused') ? 'AccountPaused' : 'Other' }),
    );
  });
  const all = ['paused-1', 'paused-2', 'paused-3', 'other-1', 'other-2'].map((eventId) => ({
    start: deliverWebhookStart(eventId, 'whk_1'),
    accountId: eventId.startsWith('paused') ? prepared.accountId : 'acc_other',
    destination: `${eventId}.test`,
  }));
  for (const { start } of all) await prepared.owe(start, { claimed: true });
  all.forEach(firstAttempts.begin);
  for (const { start } of all) await firstAttempts.ended(start.workflowId);
  await firstAttempts.stop();
  expect(asked).toEqual(['paused-1', 'other-1', 'other-2']);
});

describe('a slow receiver', () => {
  beforeEach(() => {
    server.answer({ rcpt: 'silence' });
  });

  test.each([
    ['account', { accountId: 'acc_other' }],
    ['destination', { destination: 'other.test' }],
  ])('holds up only its own %s', async (_name, other) => {
    firstAttempts = process({ runningForOne: 1, waitMs: 60_000 });
    const mine = { accountId: 'acc_slow', destination: 'slow.test' };
    await begun(mine);
    await expect.poll(sessions).toBe(1);
    const waiting = await begun({ ...mine, ...other });
    server.answer({ rcpt: '250 2.1.5 ok' });
    const free = await begun({ accountId: 'acc_third', destination: 'third.test' });
    await ended(free);
    expect(await statusOf(free)).toBe('delivered');
    expect(await statusOf(waiting)).toBe('queued');
    expect(ended(waiting)).toBeInstanceOf(Promise);
  });

  test('of webhooks holds up no email of its account', async () => {
    server.answer({ rcpt: '250 2.1.5 ok' });
    const { open: answer, opened: posted } = gate();
    firstAttempts = process({ running: 1, runningForOne: 1, held: 1, heldForOne: 1 }, () => posted);
    const start = deliverWebhookStart('evt_1', 'whk_1');
    firstAttempts.begin({ start, accountId: prepared.accountId, destination: 'inbox.test' });
    const id = await begun();
    await ended(id);
    expect(await statusOf(id)).toBe('delivered');
    expect(firstAttempts.ended(start.workflowId)).toBeInstanceOf(Promise);
    answer();
  });

  test('leaves what does not fit into memory to Workflows at once, and what has waited for some seconds', async () => {
    firstAttempts = process({ runningForOne: 1, heldForOne: 2, waitMs: 500 });
    await begun();
    await expect.poll(sessions).toBe(1);
    const waiting = await begun();
    const left = await begun();
    expect(ended(left)).toBeUndefined();
    await expect.poll(() => isLeft(left)).toBe(true);
    expect(ended(waiting)).toBeInstanceOf(Promise);
    await expect.poll(() => isLeft(waiting)).toBe(true);
    expect(ended(waiting)).toBeUndefined();
    expect(sessions()).toBe(1);
  });

  test('holds up none whose Workflow another process has started meanwhile', async () => {
    firstAttempts = process({ runningForOne: 1 });
    const running = await begun();
    await expect.poll(sessions).toBe(1);
    const [startedElsewhere, waiting] = [await begun(), await begun()];
    await forgetStarts(prepared.store, [deliverEmailStart(startedElsewhere).workflowId]);
    await expect.poll(() => ended(startedElsewhere), { timeout: 10_000 }).toBeUndefined();
    expect(ended(waiting)).toBeInstanceOf(Promise);
    expect(ended(running)).toBeInstanceOf(Promise);
    expect(dispatched).toBe(0);
  });

  test('is interrupted by a shutdown, and everything is left to Workflows of other processes', async () => {
    firstAttempts = process({ runningForOne: 1 });
    const running = await begun();
    const waiting = await begun();
    await expect.poll(sessions).toBe(1);
    await firstAttempts.stop();
    for (const id of [running, waiting, await begun()]) await expect.poll(() => isLeft(id)).toBe(true);
    expect((await outboxRow(waiting))?.not_before).toBeNull();
    expect(await prepared.events()).toEqual([]);
    expect(await prepared.store.selectFrom('delivery_attempts').select(['outcome', 'diagnostic']).execute()).toEqual([
      { outcome: 'deferred', diagnostic: 'The attempt was aborted.' },
    ]);
  });
});

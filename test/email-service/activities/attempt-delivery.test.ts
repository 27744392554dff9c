import { ActivityCancellationDetails, ApplicationFailureCategory } from '@temporalio/common';
import { CompiledQuery } from 'kysely';
import { readFileSync } from 'node:fs';
import { MockActivityEnvironment } from '@temporalio/testing';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Activities } from '../../../src/email-service/activities/index.ts';
import { asActivity } from '../../../src/email-service/activities/attempt-context.ts';
import {
  type AttemptDeliveryDependencies,
  createAttemptDelivery,
} from '../../../src/email-service/activities/attempt-delivery.ts';
import { settleAttempt } from '../../../src/email-service/activities/settle-attempt.ts';
import type { DeliverMessage } from '../../../src/email-service/delivery/deliver-message.ts';
import { returnPathOf } from '../../../src/email-service/delivery/return-path.ts';
import { renewLeases } from '../../../src/email-service/store/attempt-leases.ts';
import { beginAttempt } from '../../../src/email-service/store/delivery-attempts.ts';
import { openStore } from '../../../src/email-service/store/open-store.ts';
import { deliverEmailStart } from '../../../src/email-service/store/outbox.ts';
import { UNLIMITED } from '../support/unlimited.ts';
import { startDueEmails } from '../../../src/email-service/store/scheduled-emails.ts';
import { eraseRecipient } from '../../../src/email-service/store/erasures.ts';
import { addSuppressions } from '../../../src/email-service/store/suppressions.ts';
import { emailToDeliver } from '../../../src/email-service/store/emails.ts';
import {
  startScriptedSmtpServer,
  type ScriptedSmtpServer,
  type SmtpAnswer,
  type SmtpStep,
} from '../support/scripted-smtp-server.ts';
import { breakEvents, breakLeases, mendEvents } from '../support/full-disk.ts';
import { failureOf } from '../../support/failure-of.ts';
import { onSqlite } from '../../support/test-database.ts';
import { holdWriteLock } from '../../support/write-lock.ts';
import { newId } from '../../../src/email-service/resources/resource-ids.ts';
import type { DomainTable } from '../../../src/email-service/store/schema.ts';
import { accepted, deliverTo } from '../support/deliver-over-smtp.ts';
import { expectDescribedEvents } from '../support/expect-described-events.ts';
import { processParts } from '../support/process-parts.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

const MINUTE_MS = 60_000;

let prepared: TestStore;
let server: ScriptedSmtpServer;
/** The Workflow Ids of the work that an attempt has begun. */
let begun: string[];
beforeEach(async () => {
  prepared = await openTestStore();
  server = await startScriptedSmtpServer();
  begun = [];
});
afterEach(async () => {
  await server.stop();
  await expectDescribedEvents(prepared);
  await prepared.end();
});

type AttemptDelivery = Activities['attemptDelivery'];

/** The in-memory state of one process. */
const newActivity = (changes: Partial<AttemptDeliveryDependencies> = {}): AttemptDelivery =>
  asActivity(
    createAttemptDelivery({
      ...processParts(prepared),
      beginner: { makesFirstAttempts: true, begin: ({ start }) => void begun.push(start.workflowId) },
      deliverMessage: deliverTo(server.port),
      ...changes,
    }),
  );

interface Run extends Partial<AttemptDeliveryDependencies> {
  readonly environment?: MockActivityEnvironment;
}

const attempt = (
  emailId: string,
  { environment = new MockActivityEnvironment(), ...changes }: Run = {},
  activity: AttemptDelivery = newActivity(changes),
) => environment.run(activity, { emailId });

const emailRow = (id: string) =>
  prepared.store.selectFrom('emails').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const bounceOf = async (id: string) => JSON.parse((await emailRow(id)).bounce ?? '{}') as Record<string, unknown>;
/** As another process does. */
const beginElsewhere = (emailId: string) => beginAttempt(prepared.store, { emailId, holder: 'other', now: new Date() });
/** As ten seconds without a renewal do. */
const endLeases = () => prepared.store.updateTable('delivery_attempts').set({ lease_until: 0 }).execute();
const attemptRows = (id: string) =>
  prepared.store.selectFrom('delivery_attempts').selectAll().where('email_id', '=', id).orderBy('number').execute();

/** An attempt that has sent its message, and waits until the server says something. */
async function waitingForReply() {
  server.answer({ message: 'silence' });
  const id = await prepared.email();
  const activity = newActivity();
  const running = attempt(id, {}, activity);
  await expect.poll(() => server.messages).toHaveLength(1);
  return { id, activity, running };
}

describe('an email that the database does not have', () => {
  const DAY_MS = 86_400_000;
  const waitingFor = (waitedMs: number) => {
    const scheduledTimestampMs = Date.now() - waitedMs;
    return new MockActivityEnvironment({
      scheduledTimestampMs,
      currentAttemptScheduledTimestampMs: scheduledTimestampMs + waitedMs,
    });
  };

  test('is finished once its Workflow has waited longer than any email is under way', async () => {
    const environment = waitingFor(8 * DAY_MS + 1);
    expect(await attempt(newId('eml'), { environment })).toEqual({ outcome: 'deleted' });
  });

  test.each([
    [newId('eml'), 0],
    ['eml_1', 8 * DAY_MS],
    // As a scheduled email, it may be due only now.
    ['eml_01h45ytscbebyvny4gc8cr8ma2', 0],
  ])(
    'is retried visibly, with what to check, if it may be in another database: %s after %i ms',
    async (id, waitedMs) => {
      expect(await failureOf(attempt(id, { environment: waitingFor(waitedMs) }))).toMatchObject({
        ...{ type: 'UnknownId', nonRetryable: false, category: undefined, nextRetryDelay: 60_000 },
        message: expect.stringContaining(`no email ${id}`),
      });
    },
  );
});

describe('emails of a restored backup', () => {
  test('are not sent again after the statement of the runbook, if they may have left after the backup', async () => {
    const runbook = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
    const [, statement = ''] = /```sql\n(UPDATE emails [^`]*)```/.exec(runbook) ?? [];
    const lastRan = new Date(Date.now() - 60_000).toISOString();
    const at = (offsetMs: number) => ({ held_until: new Date(Date.parse(lastRan) + offsetMs).toISOString() });
    const [due, later, waiting, begun] = [
      await prepared.email(at(-1)),
      await prepared.email(at(1)),
      await prepared.email(),
      await prepared.email(),
    ];
    await prepared.owe(deliverEmailStart(begun));
    const database = await openStore(prepared.databaseUrl);
    await database.executeQuery(CompiledQuery.raw(statement.replace('2026-11-27T09:00:00Z', lastRan)));
    await database.destroy();
    const { store, accountId } = prepared;
    await startDueEmails(store, { accountId, now: new Date(), sendingLimits: UNLIMITED, claimed: true });
    for (const id of [due, begun]) expect(await attempt(id)).toEqual({ outcome: 'bounced' });
    expect((await prepared.events()).map(({ type, data }) => [type, data['id'], data['bounce']])).toEqual(
      [due, begun].map((id) => ['email.bounced', id, expect.objectContaining({ category: 'expired' }) as unknown]),
    );
    expect(server.messages).toHaveLength(0);
    for (const id of [later, waiting]) expect(await attempt(id)).toEqual({ outcome: 'delivered' });
  });
});

describe('a receiving domain that asks for less', () => {
  test('gets the next email of this process later, without an attempt', async () => {
    const activity = newActivity();
    const [first, second] = [await prepared.email(), await prepared.email()];
    const elsewhere = await prepared.email({ recipient: 'person@other.test' });
    server.answer({ rcpt: '421 4.7.0 too many messages' });
    expect(await failureOf(attempt(first, {}, activity))).toMatchObject({ type: 'EmailDeferred' });
    const busy = await failureOf(attempt(second, {}, activity));
    expect(busy).toMatchObject({ type: 'ReceiverBusy', nonRetryable: false });
    expect(Number(busy.nextRetryDelay)).toBeGreaterThan(4_000);
    expect(await attemptRows(second)).toEqual([]);
    server.answer({ rcpt: '250 2.1.5 ok' });
    expect(await attempt(elsewhere, {}, activity)).toEqual({ outcome: 'delivered' });
  });
});

describe('an email that the receiver accepts', () => {
  test('has the time that it was scheduled for as its Date', async () => {
    await attempt(await prepared.email({ scheduled_at: '2026-11-21T12:00:00.000Z' }));
    expect(server.messages[0]).toContain('Date: Sat, 21 Nov 2026 12:00:00 +0000\r\n');
  });

  test('is delivered, with its attempt and its event', async () => {
    const id = await prepared.email();
    expect(await attempt(id)).toEqual({ outcome: 'delivered' });
    expect(await emailRow(id)).toMatchObject({ status: 'delivered', delivered_at: expect.any(String), bounce: null });
    expect(await attemptRows(id)).toMatchObject([
      { number: 1, outcome: 'delivered', remote_mta: 'mx.inbox.test', reply_code: 250, enhanced_status_code: '2.0.0' },
    ]);
    expect(await prepared.events()).toMatchObject([
      {
        number: 1,
        type: 'email.delivered',
        data: { id, status: 'delivered', attempts: [{ number: 1, outcome: 'delivered' }], metadata: { order: '7' } },
      },
    ]);
  });

  test('has an envelope sender of its own, so that a later bounce can be attributed', async () => {
    const id = await prepared.email();
    await attempt(id);
    const returnPath = returnPathOf(prepared.sealer, { id, return_path_domain: 'bounce.acme.test' });
    expect(server.commands).toContain(`MAIL FROM:<${returnPath}>`);
  });

  test('is not sent again if the Activity is retried because its result was lost', async () => {
    const id = await prepared.email();
    await attempt(id);
    expect(await attempt(id)).toEqual({ outcome: 'delivered' });
    expect(server.messages).toHaveLength(1);
    expect(await prepared.events()).toHaveLength(1);
  });

  test('has its event delivered only to the webhooks that subscribe to it', async () => {
    const wanted = await prepared.webhook(['email.bounced', 'email.delivered']);
    await prepared.webhook(['email.bounced']);
    await prepared.webhook(['email.delivered'], { disabled_at: new Date().toISOString() });
    await prepared.webhook(['email.delivered'], { deleted_at: new Date().toISOString() });
    await attempt(await prepared.email());
    const [event] = await prepared.events();
    expect(await prepared.store.selectFrom('webhook_deliveries').selectAll().execute()).toMatchObject([
      { event_id: event?.id, webhook_id: wanted.id, status: 'pending', attempts: 0 },
    ]);
    expect(await prepared.store.selectFrom('outbox').selectAll().execute()).toMatchObject([
      {
        workflow_id: `deliver-webhook/${event?.id ?? ''}/${wanted.id}`,
        workflow_type: 'deliverWebhook',
        input: JSON.stringify({ eventId: event?.id, webhookId: wanted.id }),
        claimed_until: expect.any(Number) as number,
      },
    ]);
    expect(begun).toEqual([`deliver-webhook/${event?.id ?? ''}/${wanted.id}`]);
  });
});

describe('a domain whose emails need TLS', () => {
  test('sends nothing in plain text, says why, and sends once TLS is no longer needed', async () => {
    const { store, domainId } = prepared;
    await store.updateTable('domains').set({ tls: 'required' }).where('id', '=', domainId).execute();
    const id = await prepared.email();
    expect(await failureOf(attempt(id))).toMatchObject({ type: 'EmailDeferred' });
    expect(server.messages).toEqual([]);
    await store.updateTable('domains').set({ tls: 'opportunistic' }).where('id', '=', domainId).execute();
    expect(await attempt(id)).toEqual({ outcome: 'delivered' });
    expect(await attemptRows(id)).toMatchObject([
      {
        ...{ outcome: 'deferred', remote_mta: 'mx.inbox.test', tls: null },
        diagnostic: 'Not sent, because the sending domain requires TLS: The server does not offer STARTTLS.',
      },
      { outcome: 'delivered', tls: null },
    ]);
  });
});

describe('the suppression list', () => {
  const suppressions = () => prepared.store.selectFrom('suppressions').selectAll().execute();
  test.each([
    ['a mailbox that does not exist', { rcpt: '550 5.1.1 no such user' }, ['person@inbox.test']],
    ['a policy', { message: '550 5.7.1 refused by policy' }, []],
    ['a full mailbox', { rcpt: '552 5.2.2 mailbox full' }, []],
    ['a refusal without a reason', { rcpt: '550 no' }, []],
  ] as const)('after a bounce because of %s', async (_because, answer, addresses) => {
    const id = await prepared.email();
    server.answer(answer);
    expect(await attempt(id)).toEqual({ outcome: 'bounced' });
    const { reason } = await bounceOf(id);
    const rows = addresses.map((address) => ({
      account_id: prepared.accountId,
      address,
      cause: 'bounce',
      reason,
      email_id: id,
    }));
    expect(await suppressions()).toMatchObject(rows);
    expect(await suppressions()).toHaveLength(rows.length);
  });

  test('ends an email that was queued before its recipient was suppressed, without an attempt', async () => {
    const [first, second, override] = [
      await prepared.email(),
      await prepared.email({ recipient: 'PERSON@inbox.test' }),
      await prepared.email({ suppression_override: 'The mailbox is new.' }),
    ];
    server.answer({ rcpt: '550 5.1.1 no such user' });
    await attempt(first);
    server.answer({ rcpt: '250 2.1.5 ok' });
    expect(await attempt(second)).toEqual({ outcome: 'bounced' });
    expect(await bounceOf(second)).toMatchObject({
      category: 'suppressed',
      permanent: true,
      attempt: null,
      reason: expect.stringContaining('no such user') as string,
    });
    expect(await attemptRows(second)).toEqual([]);
    expect(await attempt(override)).toEqual({ outcome: 'delivered' });
    expect(server.messages).toHaveLength(1);
    expect(await prepared.eventTypes()).toEqual(['email.bounced', 'email.bounced', 'email.delivered']);
  });

  test('still ends an email to an address that was erased from it, without an attempt', async () => {
    const { store, sealer, accountId } = prepared;
    server.answer({ rcpt: '550 5.1.1 no such user' });
    await attempt(await prepared.email());
    await eraseRecipient(store, sealer, {
      accountId,
      recipient: 'person@inbox.test',
      by: 'test',
      now: () => new Date(),
    });
    server.answer({ rcpt: '250 2.1.5 ok' });
    const id = await prepared.email({ recipient: 'PERSON@inbox.test' });
    expect(await attempt(id)).toEqual({ outcome: 'bounced' });
    expect(await bounceOf(id)).toMatchObject({ category: 'suppressed' });
    expect(server.messages).toEqual([]);
  });

  test('does not end an email whose attempt is under way elsewhere', async () => {
    const id = await prepared.email();
    await beginElsewhere(id);
    const why = { cause: 'manual', reason: 'Asked.', email_id: null, now: new Date() } as const;
    await addSuppressions(prepared.store, prepared.accountId, ['person@inbox.test'], why, prepared.marks);
    expect(await failureOf(attempt(id))).toMatchObject({ type: 'AttemptUnderWay' });
    expect(await emailRow(id)).toMatchObject({ status: 'queued' });
  });
});

describe('an outcome that cannot be recorded', () => {
  onSqlite(() => {
    test('because another program holds the lock is recorded later, and the message is not sent again', async () => {
      const { id, activity, running } = await waitingForReply();
      const release = holdWriteLock(prepared.databaseUrl.replace(/^file:/, ''));
      server.say('250 2.0.0 kept');
      server.answer({ message: '250 2.0.0 kept again' });
      try {
        expect(await failureOf(attempt(id, {}, activity))).toMatchObject({ type: 'AttemptUnderWay' });
      } finally {
        release();
      }
      expect(await running).toEqual({ outcome: 'delivered' });
      expect(server.messages).toHaveLength(1);
      expect(await attemptRows(id)).toMatchObject([{ number: 1, outcome: 'delivered', diagnostic: 'kept' }]);
      expect(await prepared.eventTypes()).toEqual(['email.delivered']);
    }, 30_000);
  });

  /** An attempt whose message was accepted, while the database refuses the outcome. */
  async function acceptedUnrecorded(id: string, environment = new MockActivityEnvironment()) {
    const failures: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => void failures.push(line) });
    const activity = newActivity({ logger });
    await breakEvents(prepared.store);
    const attempting = attempt(id, { environment }, activity);
    await expect.poll(() => failures).toHaveLength(1);
    expect(failures[0]).toContain('disk is full');
    return { activity, attempting };
  }

  test('of a delivery keeps the email from every other process until it is recorded', async () => {
    const id = await prepared.email();
    const { activity, attempting } = await acceptedUnrecorded(id);
    expect(await failureOf(attempt(id))).toMatchObject({ type: 'AttemptUnderWay' });
    await prepared.store
      .updateTable('emails')
      .set({ expires_at: new Date(0).toISOString() })
      .execute();
    expect(await failureOf(attempt(id))).toMatchObject({ type: 'AttemptUnderWay' });
    await mendEvents(prepared.store);
    expect(await attempting).toEqual({ outcome: 'delivered' });
    expect(await attempt(id, {}, activity)).toEqual({ outcome: 'delivered' });
    expect(server.messages).toHaveLength(1);
    expect(await attemptRows(id)).toMatchObject([{ number: 1, outcome: 'delivered' }]);
  });

  test('of a delivery is left in memory when the Worker shuts down', async () => {
    const id = await prepared.email();
    const environment = new MockActivityEnvironment();
    const { activity, attempting } = await acceptedUnrecorded(id, environment);
    environment.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
    await expect(attempting).rejects.toThrow('disk is full');
    await mendEvents(prepared.store);
    expect(await attempt(id, {}, activity)).toEqual({ outcome: 'delivered' });
    expect(server.messages).toHaveLength(1);
  });

  test('of a bounce is recorded by the next run in this process', async () => {
    const id = await prepared.email();
    server.answer({ message: '550 5.7.1 no' });
    await breakEvents(prepared.store);
    const activity = newActivity();
    for (let run = 1; run <= 3; run += 1) await expect(attempt(id, {}, activity)).rejects.toThrow('disk is full');
    await mendEvents(prepared.store);
    expect(await attempt(id, {}, activity)).toEqual({ outcome: 'bounced' });
    expect(server.messages).toHaveLength(1);
    expect(await attemptRows(id)).toMatchObject([{ number: 1, outcome: 'bounced' }]);
  });

  test('of a deferral schedules the next attempt at its planned time', async () => {
    const id = await prepared.email();
    server.answer({ rcpt: '451 4.3.0 later' });
    await breakEvents(prepared.store);
    const activity = newActivity();
    await expect(attempt(id, {}, activity)).rejects.toThrow('disk is full');
    await mendEvents(prepared.store);
    expect(await failureOf(attempt(id, {}, activity))).toMatchObject({ type: 'EmailDeferred' });
    expect(server.commands.filter((command) => command.startsWith('RCPT'))).toHaveLength(1);
    expect(await attemptRows(id)).toMatchObject([{ number: 1, outcome: 'deferred', diagnostic: 'later' }]);
    server.answer({ rcpt: '250 2.1.5 ok' });
    expect(await attempt(id, {}, activity)).toEqual({ outcome: 'delivered' });
  });
});

describe('an outcome whose commit has lost its answer', () => {
  test.each(['deferred', 'unknown'] as const)(
    'keeps its pause and its one event when it is recorded again: %s',
    async (kind) => {
      const id = await prepared.email();
      const email = await emailToDeliver(prepared.store, id);
      if (email === undefined) throw new Error('no email');
      expect(await beginElsewhere(id)).toEqual({ number: 1 });
      const result = { kind, remoteMta: 'mx.inbox.test', reply: undefined, diagnostic: 'The connection was lost.' };
      for (let commit = 1; commit <= 2; commit += 1)
        expect(
          await settleAttempt(
            prepared,
            { email, number: 1, result, interrupted: false },
            { now: new Date(), remainingMs: 60 * MINUTE_MS, claimed: false },
          ),
        ).toMatchObject({ retry: { type: 'EmailDeferred' } });
      expect(await prepared.events()).toMatchObject([{ type: 'email.deferred' }]);
      expect(await attemptRows(id)).toMatchObject([{ number: 1, outcome: kind }]);
    },
  );
});

describe('an outcome that this process could not record before another one took the email over', () => {
  async function unrecorded(reply: Partial<Record<SmtpStep, SmtpAnswer>>, id: string): Promise<AttemptDelivery> {
    server.answer(reply);
    await breakEvents(prepared.store);
    const activity = newActivity();
    await expect(attempt(id, {}, activity)).rejects.toThrow('disk is full');
    await mendEvents(prepared.store);
    await endLeases();
    return activity;
  }

  const replies = [
    ['deferral', { rcpt: '451 4.3.0 later' }],
    ['bounce', { rcpt: '550 5.1.1 unknown' }],
  ] as const;

  test.each(replies)('changes nothing under the other attempt if it is a %s', async (_name, reply) => {
    const id = await prepared.email();
    const activity = await unrecorded(reply, id);
    expect(await beginElsewhere(id)).toEqual({ number: 2 });
    const row = await prepared.store
      .selectFrom('delivery_attempts')
      .select('lease_until')
      .where('number', '=', 2)
      .execute();
    for (let run = 1; run <= 2; run += 1)
      expect(await failureOf(attempt(id, {}, activity))).toMatchObject({ type: 'AttemptUnderWay' });
    expect(await emailRow(id)).toMatchObject({ status: 'queued', bounce: null });
    expect(await prepared.events()).toEqual([]);
    expect(await attemptRows(id)).toMatchObject([{ number: 1 }, { number: 2, outcome: 'started', ...row[0] }]);
  });

  test.each(replies)('adds no event to a delivery of the other process if it is a %s', async (_name, reply) => {
    const id = await prepared.email();
    const activity = await unrecorded(reply, id);
    server.answer({ rcpt: '250 2.1.5 ok' });
    expect(await attempt(id)).toEqual({ outcome: 'delivered' });
    expect(await attempt(id, {}, activity)).toEqual({ outcome: 'delivered' });
    expect(await prepared.eventTypes()).toEqual(['email.delivered']);
  });

  test('ends the email if it is a delivery', async () => {
    const id = await prepared.email();
    const late: DeliverMessage = async () => {
      await endLeases();
      expect(await beginElsewhere(id)).toEqual({ number: 2 });
      return accepted;
    };
    expect(await attempt(id, { deliverMessage: late })).toEqual({ outcome: 'delivered' });
    expect(await emailRow(id)).toMatchObject({ status: 'delivered' });
  });
});

describe('an email that is deferred', () => {
  test('fails with the server and code, without the recipient', async () => {
    server.answer({ rcpt: '451 4.7.1 <person@inbox.test> is greylisted' });
    const id = await prepared.email();
    const failure = await failureOf(attempt(id));
    expect(failure).toMatchObject({
      type: 'EmailDeferred',
      category: ApplicationFailureCategory.BENIGN,
      message: 'Attempt 1: mx.inbox.test deferred the email with 451 4.7.1.',
      stack: '',
    });
    expect(Number(failure.nextRetryDelay)).toBeGreaterThanOrEqual(0.9 * MINUTE_MS);
    expect(Number(failure.nextRetryDelay)).toBeLessThanOrEqual(1.1 * MINUTE_MS);
    expect(await emailRow(id)).toMatchObject({ status: 'queued', bounce: null });
    expect(await attemptRows(id)).toMatchObject([
      { outcome: 'deferred', reply_code: 451, diagnostic: '<person@inbox.test> is greylisted' },
    ]);
    expect(await prepared.events()).toMatchObject([{ type: 'email.deferred', data: { status: 'queued' } }]);
  });

  test('is sent with the same bytes on every attempt, with one event for each', async () => {
    server.answer({ message: '451 4.3.0 later' });
    const id = await prepared.email();
    await failureOf(attempt(id));
    await failureOf(attempt(id));
    server.answer({ message: '250 2.0.0 kept' });
    expect(await attempt(id)).toEqual({ outcome: 'delivered' });
    expect(server.messages).toHaveLength(3);
    expect(new Set(server.messages).size).toBe(1);
    expect(server.messages[0]).toContain(`Message-ID: <${id}@acme.test>`);
    const told = (await prepared.events()).map(({ number, type }) => `${String(number)} ${type}`);
    expect(told).toEqual(['1 email.deferred', '2 email.deferred', '3 email.delivered']);
  });

  test('keeps its bytes after its domain was deleted', async () => {
    server.answer({ rcpt: '451 4.3.0 later' });
    const id = await prepared.email();
    await failureOf(attempt(id));
    await prepared.store.updateTable('domains').set({ deleted_at: new Date().toISOString() }).execute();
    server.answer({ rcpt: '250 2.1.5 ok' });
    expect(await attempt(id)).toEqual({ outcome: 'delivered' });
  });

  test('is deferred if no connection succeeds', async () => {
    await server.stop();
    const id = await prepared.email();
    expect(await failureOf(attempt(id))).toMatchObject({ message: 'Attempt 1: cannot deliver to mx.inbox.test.' });
    expect(await attemptRows(id)).toMatchObject([
      { outcome: 'deferred', reply_code: null, diagnostic: expect.stringContaining('ECONNREFUSED') },
    ]);
  });
});

describe('an email that bounces', () => {
  test('shows the reason in the API and in its event', async () => {
    server.answer({ rcpt: '550 5.1.1 <person@inbox.test> unknown' });
    const id = await prepared.email();
    expect(await attempt(id)).toEqual({ outcome: 'bounced' });
    const bounce = {
      category: 'recipient',
      permanent: true,
      permanent_for: 'address',
      reason: expect.any(String),
      smtp_code: 550,
      enhanced_code: '5.1.1',
      diagnostic: '<person@inbox.test> unknown',
      remote_mta: 'mx.inbox.test',
      attempt: 1,
    };
    expect(await emailRow(id)).toMatchObject({ status: 'bounced', delivered_at: null });
    expect(await bounceOf(id)).toEqual(bounce);
    expect(await prepared.events()).toMatchObject([{ type: 'email.bounced', data: { id, status: 'bounced', bounce } }]);
  });

  test('is never changed to delivered by a late reply', async () => {
    const id = await prepared.email();
    const late: DeliverMessage = async () => {
      await prepared.store
        .updateTable('emails')
        .set({ status: 'bounced', bounce: '{}' })
        .where('id', '=', id)
        .execute();
      return accepted;
    };
    expect(await attempt(id, { deliverMessage: late })).toEqual({ outcome: 'bounced' });
    expect(await emailRow(id)).toMatchObject({ status: 'bounced' });
    expect(await prepared.events()).toEqual([]);
  });

  test('as expired, if the last attempt is deferred', async () => {
    server.answer({ rcpt: '451 4.7.1 later' });
    const id = await prepared.email({ expires_at: new Date(Date.now() + 30_000).toISOString() });
    expect(await attempt(id)).toEqual({ outcome: 'bounced' });
    expect(await bounceOf(id)).toMatchObject({
      category: 'expired',
      permanent: false,
      permanent_for: null,
      smtp_code: 451,
      diagnostic: 'later',
      attempt: 1,
    });
    expect(await prepared.eventTypes()).toEqual(['email.bounced']);
  });

  test('as expired without another attempt, if its time is over', async () => {
    const id = await prepared.email({ expires_at: new Date(Date.now() - 1).toISOString() });
    expect(await attempt(id)).toEqual({ outcome: 'bounced' });
    expect(server.commands).toEqual([]);
    expect(await attemptRows(id)).toEqual([]);
    expect(await bounceOf(id)).toMatchObject({ category: 'expired', attempt: null });
  });
});

describe('an attempt with an unknown outcome', () => {
  test('is recorded before its connection is opened', async () => {
    const id = await prepared.email();
    const looking: DeliverMessage = async () => {
      expect(await attemptRows(id)).toMatchObject([{ number: 1, outcome: 'started', finished_at: null }]);
      return { kind: 'deferred', remoteMta: undefined, reply: undefined, diagnostic: 'looked' };
    };
    await failureOf(attempt(id, { deliverMessage: looking }));
    expect(await attemptRows(id)).toMatchObject([{ outcome: 'deferred', diagnostic: 'looked' }]);
  });

  test('whose reply was lost after the final dot is unknown, and is sent again with the same Message-ID', async () => {
    server.answer({ message: 'hangUp' });
    const id = await prepared.email();
    expect(await failureOf(attempt(id))).toMatchObject({
      message: 'Attempt 1: the connection to mx.inbox.test was lost before it confirmed the message.',
    });
    server.answer({ message: '250 2.0.0 kept' });
    expect(await attempt(id)).toEqual({ outcome: 'delivered' });
    expect((await attemptRows(id)).map(({ outcome }) => outcome)).toEqual(['unknown', 'delivered']);
    expect(server.messages).toHaveLength(2);
    expect(server.messages[0]).toBe(server.messages[1]);
  });

  test('because its Worker was killed is unknown when the next one begins', async () => {
    const id = await prepared.email();
    await beginElsewhere(id);
    await endLeases();
    await attempt(id);
    expect(await attemptRows(id)).toMatchObject([
      { number: 1, outcome: 'unknown', finished_at: expect.any(String) },
      { number: 2, outcome: 'delivered' },
    ]);
  });

  test('because its Worker hung, even within DATA, sends no final dot when it resumes', async () => {
    server.answer({ data: 'silence' });
    const id = await prepared.email();
    const hung = failureOf(attempt(id));
    await expect.poll(() => server.commands).toContain('DATA');
    await endLeases();
    expect(await beginElsewhere(id)).toEqual({ number: 2 });
    server.say('354 go ahead');
    expect(await hung).toMatchObject({ type: 'AttemptUnderWay', nextRetryDelay: 1_000 });
    expect(server.messages).toEqual([]);
    expect(await attemptRows(id)).toMatchObject([
      { number: 1, outcome: 'deferred', diagnostic: expect.stringMatching(/taken over|aborted/) },
      { number: 2, outcome: 'started', lease_holder: 'other' },
    ]);
    expect(await prepared.events()).toEqual([]);
  });

  test('sends no final dot if its lease ends soon and cannot be renewed', async () => {
    server.answer({ data: 'silence' });
    const id = await prepared.email();
    const attempting = failureOf(attempt(id));
    await expect.poll(() => server.commands).toContain('DATA');
    await prepared.store
      .updateTable('delivery_attempts')
      .set({ lease_until: Date.now() + 5_000 })
      .execute();
    await breakLeases(prepared.store);
    server.say('354 go ahead');
    expect(await attempting).toMatchObject({ type: 'EmailDeferred', nextRetryDelay: 1_000 });
    expect(server.messages).toEqual([]);
    expect(await prepared.events()).toEqual([]);
  });

  test('because its Worker shuts down is retried elsewhere at once, without an event', async () => {
    server.answer({ rcpt: 'silence' });
    const id = await prepared.email();
    const environment = new MockActivityEnvironment();
    const attempting = failureOf(attempt(id, { environment }));
    await expect.poll(() => server.commands).toContain('RCPT TO:<person@inbox.test>');
    environment.cancel('WORKER_SHUTDOWN');
    expect(await attempting).toMatchObject({ type: 'EmailDeferred', nextRetryDelay: 1_000 });
    expect(await attemptRows(id)).toMatchObject([{ outcome: 'deferred', diagnostic: 'The attempt was aborted.' }]);
    expect(await prepared.events()).toEqual([]);
  });

  test('heartbeats while it waits for the receiver', async () => {
    const script: Partial<Record<SmtpStep, SmtpAnswer>> = { rcpt: 'silence' };
    server.answer(script);
    const environment = new MockActivityEnvironment();
    let beats = 0;
    environment.on('heartbeat', () => {
      beats += 1;
    });
    const attempting = failureOf(attempt(await prepared.email(), { environment }));
    await expect.poll(() => beats, { timeout: 10_000 }).toBeGreaterThanOrEqual(3);
    environment.cancel('WORKER_SHUTDOWN');
    await attempting;
  });
});

describe('an attempt that still runs in this process', () => {
  test('is not started again while the receiver is slow to reply', async () => {
    const { id, activity, running } = await waitingForReply();
    expect(await failureOf(attempt(id, {}, activity))).toMatchObject({
      type: 'AttemptUnderWay',
      category: ApplicationFailureCategory.BENIGN,
      nextRetryDelay: 3_000,
    });
    server.say('250 2.0.0 kept');
    expect(await running).toEqual({ outcome: 'delivered' });
    expect(await attempt(id, {}, activity)).toEqual({ outcome: 'delivered' });
    expect(server.messages).toHaveLength(1);
    expect(await attemptRows(id)).toMatchObject([{ number: 1, outcome: 'delivered' }]);
  });

  test('is not bounced as expired meanwhile', async () => {
    const { id, activity, running } = await waitingForReply();
    await prepared.store
      .updateTable('emails')
      .set({ expires_at: new Date(0).toISOString() })
      .execute();
    expect(await failureOf(attempt(id, {}, activity))).toMatchObject({ type: 'AttemptUnderWay' });
    server.say('250 2.0.0 kept');
    expect(await running).toEqual({ outcome: 'delivered' });
  });
});

describe('an email whose status another process made final', () => {
  test('gets no new attempt, and its open attempt may not send', async () => {
    const id = await prepared.email();
    expect(await beginElsewhere(id)).toEqual({ number: 1 });
    expect(await renewLeases(prepared.store, 'other', [id])).toEqual(new Set([id]));
    await prepared.store.updateTable('emails').set({ status: 'delivered' }).execute();
    expect(await renewLeases(prepared.store, 'other', [id])).toEqual(new Set());
    expect(await beginElsewhere(id)).toEqual({ status: 'delivered' });
    expect(await attemptRows(id)).toMatchObject([{ number: 1, outcome: 'started' }]);
  });
});

describe('an attempt of another process', () => {
  test('is waited for until its lease ends', async () => {
    const id = await prepared.email();
    await beginElsewhere(id);
    const failure = await failureOf(attempt(id));
    expect(failure).toMatchObject({ type: 'AttemptUnderWay', category: ApplicationFailureCategory.BENIGN });
    expect(Number(failure.nextRetryDelay)).toBeGreaterThan(8_000);
    expect(Number(failure.nextRetryDelay)).toBeLessThanOrEqual(10_000);
    expect(await attemptRows(id)).toMatchObject([{ number: 1, outcome: 'started', lease_holder: 'other' }]);
    expect(server.commands).toEqual([]);
    await endLeases();
    expect(await attempt(id)).toEqual({ outcome: 'delivered' });
  });

  test('is not bounced as expired meanwhile', async () => {
    const id = await prepared.email({ expires_at: new Date(Date.now() - 1).toISOString() });
    await beginElsewhere(id);
    expect(await failureOf(attempt(id))).toMatchObject({ type: 'AttemptUnderWay' });
    expect(await emailRow(id)).toMatchObject({ status: 'queued' });
    await endLeases();
    expect(await attempt(id)).toEqual({ outcome: 'bounced' });
    expect(await attemptRows(id)).toMatchObject([{ number: 1, outcome: 'unknown' }]);
  });

  test('keeps its lease as long as its process renews it, by one query for all attempts', async () => {
    server.answer({ message: 'silence' });
    const ids = await Promise.all([prepared.email(), prepared.email()]);
    const activity = newActivity();
    const running = ids.map((id) => attempt(id, {}, activity));
    await expect.poll(() => server.messages).toHaveLength(2);
    await endLeases();
    const remaining = async (id: string) => {
      const begun = await beginElsewhere(id);
      return 'leasedForMs' in begun ? begun.leasedForMs : begun;
    };
    // The next heartbeat renews both.
    const ends = async () =>
      (await prepared.store.selectFrom('delivery_attempts').select('lease_until').execute()).map(
        (row) => row.lease_until,
      );
    await expect.poll(ends).not.toContain(0);
    for (const id of ids) expect(await remaining(id)).toBeGreaterThan(5_000);
    server.say('250 2.0.0 kept');
    expect(await Promise.all(running)).toEqual(Array(2).fill({ outcome: 'delivered' }));
  });
});

describe('an account with twenty attempts under way', () => {
  test('waits for one to end, without a row or an event, while other accounts do not wait', async () => {
    const sending = new Set<() => void>();
    const deliverMessage: DeliverMessage = () =>
      new Promise((resolve) => {
        sending.add(() => {
          resolve(accepted);
        });
      });
    const activity = newActivity({ deliverMessage });
    const ids = await Promise.all(Array.from({ length: 21 }, () => prepared.email()));
    const last = ids.pop() ?? '';
    const running = ids.map((id) => attempt(id, {}, activity));
    await expect.poll(() => sending.size).toBe(20);

    const failure = await failureOf(attempt(last, {}, activity));
    expect(failure).toMatchObject({ type: 'AccountBusy', category: ApplicationFailureCategory.BENIGN });
    expect(Number(failure.nextRetryDelay)).toBeLessThanOrEqual(5_500);
    expect(await attemptRows(last)).toEqual([]);
    expect(await prepared.events()).toEqual([]);

    const created_at = new Date().toISOString();
    await prepared.store
      .insertInto('accounts')
      .values({ id: 'acc_other', name: 'globex', created_at, sealed_erasure_key: '' })
      .execute();
    running.push(attempt(await prepared.email({ account_id: 'acc_other' }), {}, activity));
    await expect.poll(() => sending.size).toBe(21);
    for (const end of sending) end();
    await Promise.all(running);
    running.push(attempt(last, {}, activity));
    await expect.poll(() => sending.size).toBe(22);
    for (const end of sending) end();
    expect(await running.at(-1)).toEqual({ outcome: 'delivered' });
  });
});

describe('an email whose domain has lost its records', () => {
  const domainIs = (change: Partial<DomainTable>) => prepared.store.updateTable('domains').set(change).execute();
  const HOUR_MS = 60 * MINUTE_MS;

  test('leaves during the notice', async () => {
    await domainIs({ status: 'temporary_failure' });
    expect(await attempt(await prepared.email())).toEqual({ outcome: 'delivered' });
  });

  test('waits after it, also if it is signed already, and leaves when the domain has recovered', async () => {
    const id = await prepared.email();
    await beginAttempt(prepared.store, {
      emailId: id,
      holder: 'p',
      signedMessage: 'Subject: x\r\n\r\n',
      now: new Date(),
    });
    await prepared.store.updateTable('delivery_attempts').set({ outcome: 'deferred' }).execute();
    await domainIs({ status: 'not_verified' });
    const failure = await failureOf(attempt(id));
    expect(failure).toMatchObject({ type: 'DomainNotVerified', message: expect.stringContaining('acme.test') });
    expect(Number(failure.nextRetryDelay)).toBeLessThanOrEqual(11 * MINUTE_MS);
    expect(server.messages).toEqual([]);
    await domainIs({ status: 'verified' });
    expect(await attempt(id)).toEqual({ outcome: 'delivered' });
  });

  test('expires as any other', async () => {
    await domainIs({ status: 'not_verified' });
    const id = await prepared.email({ expires_at: new Date(Date.now() + MINUTE_MS).toISOString() });
    expect(Number((await failureOf(attempt(id))).nextRetryDelay)).toBeLessThanOrEqual(MINUTE_MS);
    expect(await attempt(id, { now: () => new Date(Date.now() + MINUTE_MS) })).toEqual({ outcome: 'bounced' });
    expect(await bounceOf(id)).toMatchObject({ category: 'expired' });
  });

  test('of a deleted domain leaves for as long as a notice gives', async () => {
    const deletedAt = (hoursAgo: number) =>
      domainIs({ deleted_at: new Date(Date.now() - hoursAgo * HOUR_MS).toISOString() });
    await deletedAt(71);
    expect(await attempt(await prepared.email())).toEqual({ outcome: 'delivered' });
    await deletedAt(73);
    expect(await failureOf(attempt(await prepared.email()))).toMatchObject({ type: 'DomainNotVerified' });
  });
});

describe('an email that a replaced key signed', () => {
  const signedBy = (message: string | undefined) => /; s=([^;]+);/.exec(message ?? '')?.[1];

  test('keeps its bytes while the record of that key is published, and is signed again without it', async () => {
    const id = await prepared.email();
    server.answer({ message: '451 4.3.0 later' });
    await failureOf(attempt(id));
    const { signed_message: first } = await emailRow(id);
    const { records, ...domain } = await prepared.store.selectFrom('domains').selectAll().executeTakeFirstOrThrow();
    const oldRecordIs = (status: string) =>
      prepared.store
        .updateTable('domains')
        .set({
          dkim_selector: 'k2',
          records: JSON.stringify(
            (JSON.parse(records) as object[]).map((record, index) => (index === 0 ? { ...record, status } : record)),
          ),
        })
        .where('id', '=', domain.id)
        .execute();
    await oldRecordIs('found');
    await failureOf(attempt(id));
    expect((await emailRow(id)).signed_message).toBe(first);
    await oldRecordIs('missing');
    server.answer({ message: '250 2.0.0 kept' });
    expect(await attempt(id)).toEqual({ outcome: 'delivered' });
    const { signed_message: last } = await emailRow(id);
    expect([signedBy(first ?? ''), signedBy(last ?? '')]).toEqual(['k1', 'k2']);
    expect(signedBy(server.messages.at(-1))).toBe('k2');
    expect(last).toContain(/^Message-ID: .*$/im.exec(first ?? '')?.[0]);
  });
});

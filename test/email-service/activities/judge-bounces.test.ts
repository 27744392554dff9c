import { MockActivityEnvironment } from '@temporalio/testing';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { asActivity } from '../../../src/email-service/activities/attempt-context.ts';
import { createAttemptDelivery } from '../../../src/email-service/activities/attempt-delivery.ts';
import { verdictOf } from '../../../src/email-service/activities/judge-bounces.ts';
import type { DeliveryResult } from '../../../src/email-service/delivery/deliver-message.ts';
import { bounceWithoutRefusal } from '../../../src/email-service/delivery/classify-bounce.ts';
import {
  countPaused,
  pauseAccount,
  recentOutcomes,
  resumeAccount,
} from '../../../src/email-service/store/account-pauses.ts';
import { readAccount } from '../../../src/email-service/store/api-keys.ts';
import { addSuppressions } from '../../../src/email-service/store/suppressions.ts';
import { accepted } from '../support/deliver-over-smtp.ts';
import { expectDescribedEvents } from '../support/expect-described-events.ts';
import { processParts } from '../support/process-parts.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

const NOW = new Date('2026-11-26T12:30:00.000Z');
const HOUR_MS = 3_600_000;

let prepared: TestStore;
let logLines: string[];
beforeEach(async () => {
  prepared = await openTestStore();
  logLines = [];
});
afterEach(async () => {
  await expectDescribedEvents(prepared);
  await prepared.end();
});

const bounced = (category: 'recipient' | 'content'): DeliveryResult => ({
  ...{ kind: 'bounced', remoteMta: 'mx.inbox.test' },
  bounce: { ...bounceWithoutRefusal(category, { reason: 'no such address', attempt: 1 }), permanent: true },
});

let recipients = 0;
/** Ends a new email of the account. */
async function end(
  result: DeliveryResult,
  now = NOW,
  recipient = `person-${String((recipients += 1))}@inbox.test`,
): Promise<unknown> {
  const activity = asActivity(
    createAttemptDelivery({
      ...processParts(prepared),
      beginner: { makesFirstAttempts: true, begin: () => undefined },
      ...{ deliverMessage: async () => result, now: () => now },
      logger: pino({ level: 'warn' }, { write: (line: string) => void logLines.push(line) }),
    }),
  );
  const emailId = await prepared.email({ recipient, expires_at: '2026-12-01T00:00:00.000Z' });
  return new MockActivityEnvironment().run(activity, { emailId }).catch((error: unknown) => error);
}

/** As if so many emails had ended in that hour. */
const earlier = (outcomes: { delivered: number; bounced: number }, hoursAgo = 1) => {
  const hour = Math.floor(NOW.getTime() / HOUR_MS) - hoursAgo;
  return prepared.store
    .insertInto('account_outcomes')
    .values({ account_id: prepared.accountId, slot: hour % 24, hour, ...outcomes })
    .execute();
};
const outcomes = (now = NOW) => recentOutcomes(prepared.store, prepared.accountId, now);
const account = () => readAccount(prepared.store, prepared.accountId);
const accountEvents = async () => (await prepared.events()).filter(({ type }) => type.startsWith('account.'));

test.each([
  [{ delivered: 1, bounced: 1 }, undefined],
  [{ delivered: 0, bounced: 9 }, undefined],
  [{ delivered: 0, bounced: 10 }, 'warn'],
  [{ delivered: 10, bounced: 3 }, undefined],
  [{ delivered: 0, bounced: 19 }, 'warn'],
  [{ delivered: 10, bounced: 10 }, 'pause'],
  [{ delivered: 11, bounced: 10 }, 'warn'],
  [{ delivered: 46, bounced: 3 }, undefined],
  [{ delivered: 47, bounced: 3 }, 'warn'],
  [{ delivered: 89, bounced: 10 }, 'warn'],
  [{ delivered: 90, bounced: 10 }, 'pause'],
  [{ delivered: 91, bounced: 9 }, 'warn'],
  [{ delivered: 95, bounced: 5 }, 'warn'],
  [{ delivered: 96, bounced: 4 }, undefined],
] as const)('%o: %s', (counted, verdict) => {
  expect(verdictOf(counted, 0.1)).toBe(verdict);
});

test('does not pause below a rate that the operator has set', () => {
  expect(verdictOf({ delivered: 5, bounced: 15 }, 0.8)).toBe('warn');
  expect(verdictOf({ delivered: 4, bounced: 16 }, 0.8)).toBe('pause');
});

describe('the bounces of an account', () => {
  test('are counted for 24 hours: deliveries, and refusals of the address for good', async () => {
    await end(accepted);
    await end(bounced('recipient'), new Date(NOW.getTime() + HOUR_MS));
    await end(bounced('content'));
    const suppressed = await prepared.email({ recipient: 'gone@inbox.test', expires_at: '2026-12-01T00:00:00.000Z' });
    const why = { cause: 'manual', reason: 'left', email_id: null, now: NOW } as const;
    await addSuppressions(prepared.store, prepared.accountId, ['gone@inbox.test'], why, prepared.marks);
    expect(await prepared.store.selectFrom('emails').select('id').where('id', '=', suppressed).execute()).toHaveLength(
      1,
    );
    const after = (hours: number) => outcomes(new Date(NOW.getTime() + hours * HOUR_MS));
    expect(await Promise.all([after(1), after(24), after(25)])).toEqual([
      { delivered: 1, bounced: 1 },
      { delivered: 0, bounced: 1 },
      { delivered: 0, bounced: 0 },
    ]);
    // The next day uses the rows again.
    await end(accepted, new Date(NOW.getTime() + 24 * HOUR_MS));
    expect(await after(24)).toEqual({ delivered: 1, bounced: 1 });
  });

  test('warn its owner once, then pause it, with an event and a line of the log each', async () => {
    await earlier({ delivered: 90, bounced: 4 });
    await end(bounced('recipient'));
    await end(bounced('recipient'));
    expect(await account()).toMatchObject({ paused_at: null, bounce_warned_at: NOW.toISOString() });
    for (let n = 0; n < 4; n += 1) await end(bounced('recipient'));
    const reason =
      '10 of 100 emails in 24 hours bounced because their address is refused for good; an account is paused from 10 % of 100 or 50 % of 20 on.';
    expect(await account()).toMatchObject({
      ...{ paused_at: NOW.toISOString(), paused_by: 'bounce_rate', pause_reason: reason },
    });
    expect(await accountEvents()).toMatchObject([
      { type: 'account.warned', data: { status: 'active', bounces: { delivered: 90, bounced: 5 } } },
      { type: 'account.paused', data: { status: 'paused', change: { by: 'bounce_rate', reason } } },
    ]);
    expect(await countPaused(prepared.store)).toEqual({ byBounceRate: 1, byOperator: 0 });
    const lines = logLines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(lines).toEqual(['an account will be paused if its bounces go on', 'paused an account']);
  });

  test('are no reason any more when an operator pauses the account, who keeps the first reason of another one', async () => {
    let pauses = 0;
    const pause = async (by: string, reason: string) => {
      const now = new Date(NOW.getTime() + pauses++ * HOUR_MS);
      await pauseAccount(prepared.store, { accountId: prepared.accountId, by, reason, now, claimed: false });
      return account();
    };
    await pause('bounce_rate', 'bounces');
    expect(await pause('bounce_rate', 'more bounces')).toMatchObject({ pause_reason: 'bounces' });
    const taken = { paused_by: 'ada', pause_reason: 'a bought list', paused_at: NOW.toISOString() };
    expect(await pause('ada', 'a bought list')).toMatchObject(taken);
    expect(await countPaused(prepared.store)).toEqual({ byBounceRate: 0, byOperator: 1 });
    for (const by of ['bob', 'bounce_rate']) expect(await pause(by, 'later')).toMatchObject(taken);
  });

  test('pause no account without a warning before, whatever the order of outcomes', async () => {
    await earlier({ delivered: 90, bounced: 9 });
    await end(bounced('recipient'));
    expect(await account()).toMatchObject({ paused_at: null, bounce_warned_at: NOW.toISOString() });
    await end(bounced('recipient'));
    expect((await account()).paused_at).toBe(NOW.toISOString());
    expect((await accountEvents()).map(({ type }) => type)).toEqual(['account.warned', 'account.paused']);
  });

  test('pause an account that was warned the day before, when each day has one bounce too many', async () => {
    await earlier({ delivered: 90, bounced: 9 });
    await end(bounced('recipient'));
    const dayAfter = new Date(NOW.getTime() + 25 * HOUR_MS);
    const hour = Math.floor(dayAfter.getTime() / HOUR_MS) - 2;
    await prepared.store
      .insertInto('account_outcomes')
      .values({ account_id: prepared.accountId, slot: hour % 24, hour, delivered: 90, bounced: 9 })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'slot']).doUpdateSet({ hour, delivered: 90, bounced: 9 }),
      )
      .execute();
    await end(bounced('recipient'), dayAfter);
    expect((await account()).paused_at).toBe(dayAfter.toISOString());
  });

  test('do not count, and are not judged, of addresses to try out', async () => {
    await earlier({ delivered: 90, bounced: 10 });
    await end(bounced('recipient'), NOW, 'bounced+1@sandbox.invalid');
    expect(await accountEvents()).toEqual([]);
  });

  test('count from zero after the account was resumed', async () => {
    const { store, accountId } = prepared;
    await earlier({ delivered: 0, bounced: 99 });
    await end(bounced('recipient'));
    await end(bounced('recipient'));
    expect((await account()).paused_at).not.toBeNull();
    await resumeAccount(store, { accountId, by: 'default', reason: 'cleaned', now: NOW, claimed: false });
    await end(bounced('recipient'));
    expect([(await account()).paused_at, await outcomes()]).toEqual([null, { delivered: 0, bounced: 1 }]);
  });
});

describe('an email that is queued when its account is paused', () => {
  const pause = () => {
    const { store, accountId } = prepared;
    return pauseAccount(store, { accountId, by: 'default', reason: 'spam', now: NOW, claimed: false });
  };

  test('waits without an attempt, and is delivered after the account was resumed', async () => {
    await pause();
    const waits = await end(accepted);
    expect(waits).toMatchObject({ type: 'AccountPaused', nonRetryable: false });
    const { nextRetryDelay } = waits as { nextRetryDelay: number };
    expect(nextRetryDelay > 5 * 60_000 && nextRetryDelay <= 15 * 60_000).toBe(true);
    expect(await prepared.store.selectFrom('delivery_attempts').select('number').execute()).toEqual([]);
    const { store, accountId } = prepared;
    await resumeAccount(store, { accountId, by: 'default', reason: 'cleaned', now: NOW, claimed: false });
    expect(await end(accepted)).toEqual({ outcome: 'delivered' });
  });

  test('bounces as expired at its time', async () => {
    await pause();
    expect(await end(accepted, new Date('2026-12-01T00:00:00.000Z'))).toEqual({ outcome: 'bounced' });
    const { bounce } = await prepared.store.selectFrom('emails').select('bounce').executeTakeFirstOrThrow();
    expect(JSON.parse(bounce ?? '{}')).toMatchObject({ category: 'expired' });
  });
});

import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordOutcomes } from '../../../src/email-service/activities/record-outcomes.ts';
import type { Attempted } from '../../../src/email-service/activities/settle-attempt.ts';
import { bounceWithoutRefusal } from '../../../src/email-service/delivery/classify-bounce.ts';
import type { DeliveryResult } from '../../../src/email-service/delivery/deliver-message.ts';
import { beginAttempt } from '../../../src/email-service/store/delivery-attempts.ts';
import { emailToDeliver } from '../../../src/email-service/store/emails.ts';
import { accepted } from '../support/deliver-over-smtp.ts';
import { breakEvents, mendEvents } from '../support/full-disk.ts';
import { processParts } from '../support/process-parts.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

const refused: DeliveryResult = {
  kind: 'bounced',
  remoteMta: 'mx.inbox.test',
  bounce: bounceWithoutRefusal('recipient', { reason: 'no such address', attempt: 1 }),
};
const calledOff: DeliveryResult = {
  kind: 'deferred',
  remoteMta: undefined,
  reply: undefined,
  diagnostic: 'aborted',
};

let prepared: TestStore;
let logged: string[];
let tries: number;
beforeEach(async () => {
  prepared = await openTestStore();
  logged = [];
  tries = 0;
});
afterEach(() => prepared.end());

async function attempted(result: DeliveryResult): Promise<Attempted> {
  const id = await prepared.email();
  const email = await emailToDeliver(prepared.store, id);
  const begun = await beginAttempt(prepared.store, { emailId: id, holder: 'this', now: new Date() });
  if (email === undefined || !('number' in begun)) throw new Error('the test store has no such queued email');
  return { email, number: begun.number, result, interrupted: result.kind === 'deferred' };
}

const unrecordedOf = async (...results: DeliveryResult[]) => {
  const all = await Promise.all(results.map(attempted));
  return new Map(all.map((each) => [each.email.id, each]));
};

const record = (unrecorded: Map<string, Attempted>, forMs: number) =>
  recordOutcomes(unrecorded, {
    ...processParts(prepared),
    logger: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
    now: () => {
      tries += 1;
      return new Date();
    },
    lastTryAt: performance.now() + forMs,
  });

const outcomes = async () =>
  (await prepared.store.selectFrom('delivery_attempts').select('outcome').execute())
    .map(({ outcome }) => outcome)
    .sort();

test('records every outcome, and no event for an attempt that was only aborted', async () => {
  const unrecorded = await unrecordedOf(accepted, calledOff, accepted);
  await record(unrecorded, 0);
  expect(unrecorded.size).toBe(0);
  expect(await outcomes()).toEqual(['deferred', 'delivered', 'delivered']);
  expect(await prepared.eventTypes()).toEqual(['email.delivered', 'email.delivered']);
  expect(logged).toEqual([]);
});

test('judges the account by the bounces that it records', async () => {
  const hour = Math.floor(Date.now() / 3_600_000) - 1;
  await prepared.store
    .insertInto('account_outcomes')
    .values({ account_id: prepared.accountId, slot: hour % 24, hour, delivered: 89, bounced: 10 })
    .execute();
  await record(await unrecordedOf(refused), 0);
  expect(await prepared.eventTypes()).toEqual(['email.bounced', 'account.warned']);
});

test('retries until the database is writable', async () => {
  const unrecorded = await unrecordedOf(accepted);
  await breakEvents(prepared.store);
  const recording = record(unrecorded, 20_000);
  await expect.poll(() => tries, { timeout: 5_000 }).toBeGreaterThan(1);
  await mendEvents(prepared.store);
  await recording;
  expect(await outcomes()).toEqual(['delivered']);
  expect(logged).toEqual([]);
});

test('gives up at its time limit and logs one line with the ids but no email content', async () => {
  const unrecorded = await unrecordedOf(accepted, accepted);
  await breakEvents(prepared.store);
  await record(unrecorded, 0);
  expect(await outcomes()).toEqual(['started', 'started']);
  expect(logged).toHaveLength(1);
  expect(JSON.parse(logged[0] ?? '')).toMatchObject({ level: 50, count: 2, emailIds: [...unrecorded.keys()] });
  expect(logged[0]).not.toMatch(/person@|Welcome/);
});

test('is done with an email that has left the database', async () => {
  const unrecorded = await unrecordedOf(accepted, calledOff);
  await prepared.store.deleteFrom('delivery_attempts').execute();
  await prepared.store.deleteFrom('emails').execute();
  await record(unrecorded, 0);
  expect(unrecorded.size).toBe(0);
  expect(logged).toEqual([]);
});

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cancelEmail, postponeEmail } from '../../../src/email-service/store/scheduled-emails.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';
import type { Leaving } from './leaving-process.ts';

const ROUNDS = 40;

let prepared: TestStore;
let child: ChildProcess;
beforeEach(async () => {
  prepared = await openTestStore();
  const program = fileURLToPath(new URL('leaving-process.ts', import.meta.url));
  child = fork(program, [prepared.databaseUrl], { execArgv: ['--import', 'tsx'] });
  await once(child, 'message');
});
afterEach(async () => {
  child.disconnect();
  await once(child, 'exit');
  await prepared.end();
});

async function leaving(emailId: string): Promise<Leaving> {
  child.send(emailId);
  const [left] = (await once(child, 'message')) as [Leaving];
  return left;
}

const state = async (id: string) => {
  const { status, scheduled_at: scheduledAt } = await prepared.store
    .selectFrom('emails')
    .select(['status', 'scheduled_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const { attempts } = await prepared.store
    .selectFrom('delivery_attempts')
    .select((row) => row.fn.countAll<number | string>().as('attempts'))
    .where('email_id', '=', id)
    .executeTakeFirstOrThrow();
  return { status, scheduledAt, attempts: Number(attempts) };
};

test('of a cancellation and an attempt that another process begins, exactly one wins, and the answer says which', async () => {
  const { store, accountId } = prepared;
  const wrong: unknown[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const due = new Date().toISOString();
    const id = await prepared.email({ scheduled_at: due, held_until: due });
    const [{ result }, cancelled] = await Promise.all([
      leaving(id),
      delay(round % 5).then(() => cancelEmail(store, { accountId, id, now: new Date(), claimed: false })),
    ]);
    const end = await state(id);
    const hasLeft = 'number' in result && cancelled === 'left' && end.status === 'queued' && end.attempts === 1;
    const isCancelled =
      'status' in result && typeof cancelled === 'object' && end.status === 'bounced' && end.attempts === 0;
    if (hasLeft === isCancelled) wrong.push({ round, result, cancelled, end });
  }
  expect(wrong).toEqual([]);
  const events = await prepared.events();
  const { bounced } = await store
    .selectFrom('emails')
    .select((row) => row.fn.countAll<number | string>().as('bounced'))
    .where('status', '=', 'bounced')
    .executeTakeFirstOrThrow();
  expect(events.map(({ type }) => type)).toEqual(Array(Number(bounced)).fill('email.bounced'));
}, 60_000);

test('of a later time and the sweep of another process, exactly one wins', async () => {
  const { store, accountId } = prepared;
  const later = new Date(Date.now() + 3_600_000);
  const wrong: unknown[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const due = new Date().toISOString();
    const id = await prepared.email({ scheduled_at: due, held_until: due });
    const [, postponed] = await Promise.all([
      leaving(id),
      delay(round % 5).then(() =>
        postponeEmail(store, { accountId, id, scheduledAt: later, now: new Date() }, () => undefined),
      ),
    ]);
    const { scheduledAt } = await state(id);
    const started = await store
      .selectFrom('outbox')
      .select('workflow_id')
      .where('workflow_id', '=', `deliver-email/${id}`)
      .executeTakeFirst();
    const hasLeft = postponed === 'left' && scheduledAt === due && started !== undefined;
    const isPostponed = postponed === 'postponed' && scheduledAt === later.toISOString() && started === undefined;
    if (hasLeft === isPostponed) wrong.push({ round, postponed, scheduledAt, started });
  }
  expect(wrong).toEqual([]);
}, 60_000);

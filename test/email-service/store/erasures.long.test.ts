import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eraseRecipient } from '../../../src/email-service/store/erasures.ts';
import { isPostgres } from '../../../src/lib/sql/transactions.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

const RECIPIENT = 'person@inbox.test';
const EMAILS = 3_000;

let prepared: TestStore;
beforeEach(async () => {
  prepared = await openTestStore();
});
afterEach(() => prepared.end());

async function addDelivered(): Promise<void> {
  const id = await prepared.email({ status: 'delivered', delivered_at: new Date().toISOString() });
  const emails = prepared.store.selectFrom('emails').selectAll().where('id', '=', id);
  const template = await emails.executeTakeFirstOrThrow();
  for (let from = 1; from < EMAILS; from += 100) {
    const rows = Array.from({ length: Math.min(100, EMAILS - from) }, (_, at) => ({
      ...template,
      id: `${id.slice(0, -4)}${String(from + at).padStart(4, '0')}`,
    }));
    await prepared.store.insertInto('emails').values(rows).execute();
  }
}

const erasedSoFar = async (): Promise<number> =>
  (await prepared.store.selectFrom('erasures').select('emails').executeTakeFirst())?.emails ?? 0;

test('an erasure that is killed is finished by the next call, which counts both', async () => {
  const { store, sealer, sealingKey, accountId, databaseUrl } = prepared;
  await addDelivered();
  const program = fileURLToPath(new URL('erasing-process.ts', import.meta.url));
  const given = [databaseUrl, accountId, RECIPIENT, sealingKey.toString('base64')];
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...given], { stdio: 'inherit' });
  const exited = once(child, 'exit');
  while ((await erasedSoFar()) === 0 && child.exitCode === null) await pause(5);
  child.kill('SIGKILL');
  await exited;
  const before = await erasedSoFar();
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(EMAILS);

  const asked = { accountId, recipient: RECIPIENT, by: 'test', now: () => new Date() };
  expect(await eraseRecipient(store, sealer, asked)).toMatchObject({ emails: EMAILS });
  const left = store.selectFrom('emails').select('id').where('recipient', '<>', '');
  expect(await left.execute()).toEqual([]);
  expect(await store.selectFrom('erasures').select('id').execute()).toHaveLength(1);
}, 60_000);

test('two calls at once for two recipients of the same messages wait for each other, and both end', async () => {
  const { store, sealer, accountId } = prepared;
  for (let n = 0; n < 100; n += 1) {
    const id = await prepared.email({ status: 'delivered' });
    await store.updateTable('emails').set({ content_id: id }).where('id', '=', id).execute();
    await prepared.email({ status: 'delivered', content_id: id, recipient: 'other@inbox.test' });
  }
  const asked = { accountId, by: 'test', now: () => new Date() };
  const counts = await Promise.all(
    [RECIPIENT, 'other@inbox.test'].map((recipient) => eraseRecipient(store, sealer, { ...asked, recipient })),
  );
  expect(counts.map(({ emails }) => emails)).toEqual([100, 100]);
  if (isPostgres(store)) {
    const { rows } = await sql<{ deadlocks: number }>`
      select deadlocks from pg_stat_database where datname = current_database()`.execute(store);
    expect(rows).toEqual([{ deadlocks: 0 }]);
  }
}, 60_000);

test('two calls at once for the same person erase each email once', async () => {
  const { store, sealer, accountId } = prepared;
  await addDelivered();
  const asked = { accountId, recipient: RECIPIENT, by: 'test', now: () => new Date() };
  await Promise.all([1, 2].map(() => eraseRecipient(store, sealer, asked)));
  const rows = await store.selectFrom('erasures').select(['emails', 'finished_at']).execute();
  expect(rows.reduce((sum, { emails }) => sum + emails, 0)).toBe(EMAILS);
  expect(rows.every(({ finished_at: at }) => at !== null)).toBe(true);
}, 60_000);

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putLimits } from '../../../src/email-service/store/sending-limits.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';

const LIMIT = 400;

let prepared: TestStore;
const children: ChildProcess[] = [];
beforeEach(async () => {
  prepared = await openTestStore();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await prepared.end();
});

function startCounting(kind: 'new' | 'due' = 'new') {
  const program = fileURLToPath(new URL('counting-process.ts', import.meta.url));
  const { databaseUrl, accountId } = prepared;
  const child = spawn(process.execPath, ['--import', 'tsx', program, databaseUrl, accountId, kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

/** Kills two processes while they count, and lets a third one end. @returns its exit code */
async function countWithKills(kind?: 'due'): Promise<number> {
  const killed = [startCounting(kind), startCounting(kind)];
  await Promise.all(
    killed.map(async (child) => {
      await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
      child.kill('SIGKILL');
      if (child.exitCode === null) await once(child, 'exit');
    }),
  );
  const last = startCounting(kind);
  last.stdout.resume();
  const [code] = (await once(last, 'exit')) as [number];
  return code;
}

test('no limit is exceeded by processes that are killed while they count', async () => {
  const { store, accountId } = prepared;
  await putLimits(store, accountId, { minute: LIMIT, hour: null, day: null });
  const code = await countWithKills();
  const counted = await store.selectFrom('suppressions').select('id').execute();
  const { minute_count: count } = await store.selectFrom('sending_limits').selectAll().executeTakeFirstOrThrow();
  expect([code, counted.length, count]).toEqual([0, LIMIT, LIMIT]);
}, 60_000);

test('no limit is exceeded by scheduled emails that are due at once, started by processes that are killed', async () => {
  const { store, accountId } = prepared;
  await putLimits(store, accountId, { minute: LIMIT, hour: null, day: null });
  const due = [];
  for (let second = 0; second < LIMIT + 100; second += 1) {
    const time = new Date(Date.now() - 3_600_000 + second * 1_000).toISOString();
    due.push(await prepared.email({ scheduled_at: time, held_until: time }));
  }
  const code = await countWithKills('due');
  const held = await store
    .selectFrom('emails')
    .select('id')
    .where('held_until', 'is not', null)
    .orderBy('held_until')
    .execute();
  const started = await store.selectFrom('outbox').select('workflow_id').execute();
  const { minute_count: count } = await store.selectFrom('sending_limits').selectAll().executeTakeFirstOrThrow();
  expect([code, started.length, count]).toEqual([0, LIMIT, LIMIT]);
  expect(held.map(({ id }) => id)).toEqual(due.slice(LIMIT));
}, 60_000);

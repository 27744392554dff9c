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

function startCounting() {
  const program = fileURLToPath(new URL('counting-process.ts', import.meta.url));
  const { databaseUrl, accountId } = prepared;
  const child = spawn(process.execPath, ['--import', 'tsx', program, databaseUrl, accountId], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

test('no limit is exceeded by processes that are killed while they count', async () => {
  const { store, accountId } = prepared;
  await putLimits(store, accountId, { minute: LIMIT, hour: null, day: null });
  const killed = [startCounting(), startCounting()];
  await Promise.all(
    killed.map(async (child) => {
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'exit');
    }),
  );
  const last = startCounting();
  last.stdout.resume();
  const [code] = (await once(last, 'exit')) as [number];
  const counted = await store.selectFrom('suppressions').select('id').execute();
  const { minute_count: count } = await store.selectFrom('sending_limits').selectAll().executeTakeFirstOrThrow();
  expect([code, counted.length, count]).toEqual([0, LIMIT, LIMIT]);
}, 60_000);

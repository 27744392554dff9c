import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PreviousCheck } from '../../../src/agents-md/check-result.ts';
import { verdict } from '../../../src/agents-md/verdict.ts';
import { type CheckStore, createSqlCheckStore } from '../../../src/store/agents-md/check-store.ts';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import { type TestDatabase, testDatabase } from '../../support/test-database.ts';

let testDb: TestDatabase;
let databases: Database[];

beforeEach(async () => {
  testDb = await testDatabase('orchestrator');
  databases = [];
});
afterEach(async () => {
  await Promise.all(databases.map((database) => database.destroy()));
  await testDb.end();
});

/** As each process opens it for itself. */
async function open(): Promise<CheckStore> {
  const database = await openDatabase(testDb.url);
  databases.push(database);
  return createSqlCheckStore(database);
}

function checkAt(checkedAt: string, producerId = 'p'): PreviousCheck {
  const soFar = { input: { producerId }, startedAt: checkedAt, previous: null, observations: [] };
  const result = verdict(soFar, checkedAt);
  return { result, observations: [], resolved: null, lastConclusive: result.lastConclusive };
}
const monday = checkAt('2026-03-02T00:00:00.000Z');
const tuesday = checkAt('2026-03-03T00:00:00.000Z');

test('a check is there for every process, and only for its producer', async () => {
  const store = await open();
  expect(await store.replace({ check: monday, version: 'run-1' }, null)).toBeNull();
  const other = await open();
  expect(await other.get('p')).toEqual({ check: monday, version: 'run-1' });
  expect(await other.get('q')).toBeUndefined();
});

test('of two checks that were judged by the same one, the second is told of the first', async () => {
  const [one, other] = [await open(), await open()];
  await one.replace({ check: monday, version: 'run-1' }, null);
  expect(await one.replace({ check: tuesday, version: 'run-2' }, 'run-1')).toBeNull();
  expect(await other.replace({ check: monday, version: 'run-3' }, 'run-1')).toEqual({
    check: tuesday,
    version: 'run-2',
  });
  expect(await other.replace({ check: monday, version: 'run-3' }, null)).toMatchObject({ version: 'run-2' });
  expect(await one.get('p')).toEqual({ check: tuesday, version: 'run-2' });
});

test('a call that is made again, because its answer was lost, changes nothing', async () => {
  const store = await open();
  await store.replace({ check: monday, version: 'run-1' }, null);
  expect(await store.replace({ check: monday, version: 'run-1' }, null)).toBeNull();
  expect(await store.replace({ check: tuesday, version: 'run-2' }, 'run-1')).toBeNull();
  expect(await store.replace({ check: tuesday, version: 'run-2' }, 'run-1')).toBeNull();
  expect(await store.get('p')).toEqual({ check: tuesday, version: 'run-2' });
});

test('of many at once exactly one is kept', async () => {
  const stores = [await open(), await open(), await open(), await open()];
  const answers = await Promise.all(
    stores.map((store, position) => store.replace({ check: monday, version: `run-${position}` }, null)),
  );
  expect(answers.filter((answer) => answer === null)).toHaveLength(1);
});

import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import { type TestDatabase, testDatabase } from '../test-database.ts';
import { emptyDatabase, type KeptState, keptStateOf } from './emptied-databases.ts';

let made: TestDatabase;
let database: Database;
let kept: KeptState;
beforeEach(async () => {
  made = await testDatabase('orchestrator');
  kept = await keptStateOf(made.url);
  database = await openDatabase(made.url);
});
afterEach(async () => {
  await database.destroy();
  await made.end();
});

const installation = async () => (await sql`select * from installation`.execute(database)).rows;
const insertEvent = async () =>
  (
    await sql<{ id: number }>`
      insert into onboarding_events (event_id, tenant_id, attempt_id, type, at, data, delivery, attempts)
      values ('e', 't', 'a', 'onboarding.started', 'now', '{}', 'none', 0) returning id`.execute(database)
  ).rows[0]?.id;

test('an emptied database has the rows and the next ids of a new one', async () => {
  const original = await installation();
  expect(await insertEvent()).toBe(1);
  await sql`delete from onboarding_events`.execute(database);
  expect(await insertEvent()).toBe(2);
  await sql`update installation set id = 'other'`.execute(database);
  await sql`delete from kysely_migration`.execute(database);
  expect(await emptyDatabase(made.url, kept)).toBe(true);
  await database.destroy();
  database = await openDatabase(made.url);
  expect(await installation()).toEqual(original);
  expect(await database.selectFrom('onboarding_events').selectAll().execute()).toEqual([]);
  expect(await insertEvent()).toBe(1);
});

test.each([
  'create function f() returns trigger language plpgsql as $$ begin return new; end $$',
  'create table left_over (id text)',
  'alter table secrets add column left_over text',
  'alter table secrets drop column updated_at',
  'alter table secrets alter column sealed drop not null',
  'grant select on secrets to public',
])('a database is not used again after: %s', async (statement) => {
  await sql.raw(statement).execute(database);
  expect(await emptyDatabase(made.url, kept)).toBe(false);
});

import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Diagnosis } from '../../../src/cli/doctor/check.ts';
import { databaseAt } from '../../../src/cli/databases/program-databases.ts';
import { databaseCheck } from '../../../src/cli/doctor/checks/database-checks.ts';
import { createDoctorContext } from '../../../src/cli/doctor/doctor-context.ts';
import { freePort } from '../../../src/dev/temporal/free-port.ts';
import { databaseKind, emptyTestDatabase, onPostgres, type TestDatabase } from '../../support/test-database.ts';

const isPostgres = databaseKind() === 'postgres';
let made: TestDatabase;
beforeEach(async () => {
  made = await emptyTestDatabase();
});
afterEach(() => made.end());

async function finding(url = made.url): Promise<Diagnosis> {
  const context = createDoctorContext({ SENDOFF_DATABASE_URL: url }, {});
  try {
    return await databaseCheck.run(context, new AbortController().signal);
  } finally {
    await context.close();
  }
}

async function change(...statements: string[]): Promise<void> {
  await databaseAt('orchestrator', made.url, {}).migrate();
  const { database } = await databaseAt('orchestrator', made.url, {}).inspect();
  for (const statement of statements) await sql.raw(statement).execute(database);
  await database.destroy();
}

test('a migrated database is OK', async () => {
  await change();
  expect(await finding()).toEqual({
    state: 'ok',
    found: `${made.url} is up to date and commits a write`,
    remedy: null,
  });
});

test('a pending migration is a problem, with the command for this kind of database', async () => {
  await change("delete from kysely_migration where name = '0001-baseline'");
  expect(await finding()).toEqual({
    state: 'problem',
    found: `${made.url} lacks 1 migration: 0001-baseline`,
    remedy: isPostgres
      ? 'Migrate it: sendoff migrate'
      : 'Stop the programs of the earlier version, then migrate it: sendoff setup',
  });
});

test('a database of a later version is OK on PostgreSQL and a problem on SQLite, whose programs refuse it', async () => {
  await change("insert into kysely_migration (name, timestamp) values ('0999-later', 'now')");
  expect(await finding()).toMatchObject(
    isPostgres
      ? { state: 'ok', found: expect.stringContaining('a later version has added 0999-later') as string }
      : {
          state: 'problem',
          found: `${made.url} was migrated by a later version: 0999-later`,
          remedy: 'Start that version again',
        },
  );
});

test('an unfinished copy is a problem', async () => {
  await change("update installation set id = 'unfinished copy of installation 0123456789ab'");
  expect(await finding()).toMatchObject({
    state: 'problem',
    found: expect.stringContaining('is an unfinished copy of installation 0123456789ab') as string,
  });
});

onPostgres(() => {
  test('a server that does not answer is a problem that shows no password', async () => {
    const found = await finding(`postgres://user:pass-word@127.0.0.1:${String(await freePort())}/sendoff`);
    expect(found).toMatchObject({ state: 'problem', remedy: 'Start PostgreSQL, or correct SENDOFF_DATABASE_URL' });
    expect(found.found).toMatch(
      /^SENDOFF_DATABASE_URL is postgres:\/\/user@127\.0\.0\.1:\d+\/sendoff, which cannot be/,
    );
  });
});

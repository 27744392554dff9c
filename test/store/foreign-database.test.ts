import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseAt, programNames } from '../../src/cli/databases/program-databases.ts';
import { openStore } from '../../src/email-service/store/open-store.ts';
import { migrateSqlDatabase, openSqlDatabase } from '../../src/lib/sql/sql-database.ts';
import { openDatabase } from '../../src/store/database.ts';
import {
  databaseKind,
  emptyTestDatabase,
  onPostgres,
  onSqlite,
  type TestDatabase,
  testDatabase,
} from '../support/test-database.ts';

const programs = {
  orchestrator: {
    ...{ open: (url: string) => openDatabase(url), schema: 'sendoff' },
    ...{ setting: 'SENDOFF_DATABASE_URL', name: 'orchestrator' },
  },
  'email-service': {
    ...{ open: (url: string) => openStore(url), schema: 'email_service' },
    ...{ setting: 'EMAIL_SERVICE_DATABASE_URL', name: 'email service' },
  },
};
const both = [
  ['orchestrator', 'email-service'],
  ['email-service', 'orchestrator'],
] as const;

let made: TestDatabase;
beforeEach(async () => {
  made = await emptyTestDatabase();
});
afterEach(() => made.end());

const closed = async (opened: Promise<Kysely<never>>): Promise<void> => (await opened).destroy();

/** What each way to open it says. */
async function saidOf(program: keyof typeof programs, url: string): Promise<readonly unknown[]> {
  const { migrate, inspect } = databaseAt(program, url, {});
  const attempts = [
    () => closed(programs[program].open(url) as Promise<Kysely<never>>),
    migrate,
    async () => (await inspect()).database.destroy(),
  ];
  const said: unknown[] = [];
  for (const attempt of attempts) {
    said.push(
      await attempt().then(
        () => 'opened',
        (error: unknown) => (error as Error).message,
      ),
    );
  }
  return said;
}

onSqlite(() => {
  test.each(both)('the %s refuses the file of the %s, and leaves its schema as it is', async (own, other) => {
    const { url, end } = await testDatabase(other);
    const { setting, name } = programs[own];
    const message = `${setting} is ${url}, which is the database of the ${programs[other].name}. Set it to the database of the ${name}, or to a new one`;
    expect(await saidOf(own, url)).toEqual([message, message, message]);
    await closed(programs[other].open(url) as Promise<Kysely<never>>);
    await end();
  });
});

onPostgres(() => {
  test('both programs use one database', async () => {
    for (const program of programNames) await databaseAt(program, made.url, {}).migrate();
    for (const program of programNames)
      expect(await saidOf(program, made.url)).toEqual(['opened', expect.anything(), 'opened']);
  });
});

test.each(programNames)('the %s refuses tables of another program', async (program) => {
  const { setting, schema, name } = programs[program];
  const database = await openSqlDatabase(made.url, {}, { schema });
  if (databaseKind() === 'postgres') await sql`create schema ${sql.id(schema)}`.execute(database);
  for (const table of ['orders', 'customers', 'kysely_migration', 'emails', 'onboardings'])
    await sql`create table ${sql.id(table)} (name text)`.execute(database);
  await sql`insert into kysely_migration (name) values ('0001-baseline')`.execute(database);
  await database.destroy();
  const where = databaseKind() === 'postgres' ? `whose schema ${schema}` : 'which';
  const message = `${setting} is ${made.url}, ${where} holds 4 tables of another program: customers, emails, onboardings, …. Set it to the database of the ${name}, or to a new one`;
  expect(await saidOf(program, made.url)).toEqual([message, message, message]);
});

test.each(programNames)('the %s migrates after a first migration that failed', async (program) => {
  const options = { schema: programs[program].schema };
  const failing = { up: () => Promise.reject(new Error('killed here')) };
  await expect(migrateSqlDatabase(made.url, { '0001-baseline': failing }, options)).rejects.toThrow('killed here');
  expect(await databaseAt(program, made.url, {}).migrate()).toEqual(['0001-baseline']);
});

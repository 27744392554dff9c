import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate, type MigrateOptions } from '../../../src/cli/databases/migrate.ts';
import { databaseAt, type DatabaseProgram } from '../../../src/cli/databases/program-databases.ts';
import { migrations as migrationsOfStore } from '../../../src/email-service/store/open-store.ts';
import { migrations, openDatabase } from '../../../src/store/database.ts';
import { databaseKind, emptyTestDatabase } from '../../support/test-database.ts';

let ends: (() => Promise<void>)[];
let environment: Record<string, string>;
beforeEach(async () => {
  const [orchestrator, emailService] = [await emptyTestDatabase(), await emptyTestDatabase()];
  ends = [orchestrator.end, emailService.end];
  // On PostgreSQL both programs share one database.
  environment = {
    SENDOFF_DATABASE_URL: orchestrator.url,
    EMAIL_SERVICE_DATABASE_URL: databaseKind() === 'sqlite' ? emailService.url : orchestrator.url,
  };
});
afterEach(async () => {
  for (const end of ends) await end();
});

interface Report {
  readonly complete: boolean;
  readonly databases: { program: string; applied: string[]; pending: string[]; unknown: string[] }[];
}

async function run(options: MigrateOptions = {}): Promise<{ code: number; text: string }> {
  let text = '';
  const context = { environment, write: (part: string) => void (text += part), progress: { write: () => undefined } };
  return { code: await migrate(options, context), text };
}

const report = async (options: MigrateOptions = {}): Promise<Report & { code: number }> => {
  const { code, text } = await run({ json: true, ...options });
  return { code, ...(JSON.parse(text) as Report) };
};

/** A database as a later version leaves it. */
async function addLaterMigration(
  program: DatabaseProgram,
  url = environment['SENDOFF_DATABASE_URL'] ?? '',
): Promise<void> {
  const { database } = await databaseAt(program, url, {}).inspect();
  await sql`insert into kysely_migration (name, timestamp) values ('0999-later', 'now')`.execute(database);
  await database.destroy();
}

test('applies every migration of both programs, says which, and does nothing the second time', async () => {
  expect(await report()).toMatchObject({
    code: 0,
    complete: true,
    databases: [
      { program: 'orchestrator', applied: Object.keys(migrations), pending: [], unknown: [] },
      { program: 'email-service', applied: Object.keys(migrationsOfStore), pending: [], unknown: [] },
    ],
  });
  const { code, text } = await run();
  expect(text.match(/up to date/g)).toHaveLength(2);
  expect(code).toBe(0);
  await (await openDatabase(environment['SENDOFF_DATABASE_URL'] ?? '')).destroy();
});

test('several at once apply each migration once', async () => {
  const reports = await Promise.all(Array.from({ length: 4 }, () => report({ only: 'orchestrator' })));
  expect(reports.map(({ complete }) => complete)).toEqual([true, true, true, true]);
  expect(reports.flatMap(({ databases }) => databases.flatMap(({ applied }) => applied)).sort()).toEqual(
    Object.keys(migrations).sort(),
  );
});

test('--check reports what is pending, exits 1 and changes nothing', async () => {
  if (databaseKind() === 'sqlite') {
    // A database that does not exist is not created either.
    await expect(report({ check: true })).rejects.toThrow('there is no such file');
    await report();
    expect(await report({ check: true })).toMatchObject({ code: 0, complete: true });
    return;
  }
  for (let repeated = 0; repeated < 2; repeated += 1)
    expect(await report({ check: true, only: 'orchestrator' })).toMatchObject({
      code: 1,
      complete: false,
      databases: [{ applied: [], pending: Object.keys(migrations) }],
    });
});

test('a database of a later version stays as it is: programs start with it on PostgreSQL, and refuse it on SQLite', async () => {
  await run();
  await addLaterMigration('orchestrator');
  const isPostgres = databaseKind() === 'postgres';
  const { code, text } = await run({ only: 'orchestrator' });
  expect(text).toContain('a later version has migrated it: 0999-later');
  expect(text.includes('Start that version')).toBe(!isPostgres);
  expect(code).toBe(isPostgres ? 0 : 1);
});

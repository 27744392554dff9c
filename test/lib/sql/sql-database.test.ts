import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql, type Kysely, type Migration } from 'kysely';
import { expect, test } from 'vitest';
import { openSqlDatabase } from '../../../src/lib/sql/sql-database.ts';
import { packagedModule } from '../../support/packaged-command.ts';
import { holdWriteLock } from '../../support/write-lock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a migration that is cut off leaves nothing of itself, and the next start brings the schema up to date', async () => {
  const folder = temporaryFolder();
  const url = `file:${join(folder, 'x.db')}`;
  const createTable = (database: Kysely<unknown>) => sql`create table first (id text)`.execute(database);
  const cutOff: Migration = {
    async up(database: Kysely<unknown>) {
      await createTable(database);
      throw new Error('killed here');
    },
  };
  const whole: Migration = {
    async up(database: Kysely<unknown>) {
      await createTable(database);
      await sql`create table second (id text)`.execute(database);
    },
  };
  await expect(openSqlDatabase(url, { '0001': cutOff })).rejects.toThrow('could not be brought up to date');
  const database = await openSqlDatabase<{ second: { id: string } }>(url, { '0001': whole });
  expect(await database.selectFrom('second').selectAll().execute()).toEqual([]);
  await database.destroy();
});

test('programs that make the same new database at once all open it', async () => {
  const folder = temporaryFolder();
  const program = `
    import { openDatabase } from ${JSON.stringify(await packagedModule('store/database.js'))};
    const database = await openDatabase(${JSON.stringify(`file:${join(folder, 'new', 'sendoff.db')}`)});
    await database.destroy();
    console.log('opened');
  `;
  const open = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  const opened = await Promise.all(Array.from({ length: 6 }, open));
  expect(opened.map(({ stdout }) => stdout)).toEqual(Array(6).fill('opened\n'));
});

test('a database that another program has locked opens when nothing is pending, and is named when something is', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'x.db');
  const url = `file:${path}`;
  const none: Migration = { up: async () => undefined };
  const options = { setting: 'A_DATABASE_URL', busyTimeoutMs: 40 };
  const open = async (migrations: Record<string, Migration>) =>
    (await openSqlDatabase(url, migrations, options)).destroy();
  const unlockNew = holdWriteLock(path);
  await expect(open({ '0001': none })).rejects.toThrow(
    `A_DATABASE_URL is ${url}, which cannot be opened: another program holds the lock`,
  );
  unlockNew();
  await open({ '0001': none });
  const unlock = holdWriteLock(path);
  await open({ '0001': none });
  await expect(open({ '0001': none, '0002': none })).rejects.toThrow(
    `A_DATABASE_URL is ${url}, whose schema could not be brought up to date: another program holds the lock`,
  );
  unlock();
  await open({ '0001': none, '0002': none });
  // An older program must not write into the schema of a later one.
  await expect(open({ '0001': none })).rejects.toThrow('previously executed migration 0002 is missing');
});

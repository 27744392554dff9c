import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { asAdministrator, templates } from './postgres/provide-postgres.ts';

export interface TestDatabase {
  readonly url: string;
  /** Call it after everything has closed the database. */
  readonly end: () => Promise<void>;
}

/** Which database this project of vitest tests: the same test files run in both. */
export const databaseKind = (): 'sqlite' | 'postgres' => (inject('postgresUrl') === undefined ? 'sqlite' : 'postgres');

/** For tests of what only SQLite has, such as its file. */
export const onSqlite = (define: () => void): void => {
  if (databaseKind() === 'sqlite') define();
};

/** A new database of its own. */
export async function testDatabase(program: keyof typeof templates): Promise<TestDatabase> {
  const server = inject('postgresUrl');
  if (server === undefined) {
    const folder = mkdtempSync(join(tmpdir(), `sendoff-${program}-`));
    return {
      url: `file:${join(folder, `${program}.db`)}`,
      end: async () => {
        rmSync(folder, { recursive: true, force: true });
      },
    };
  }
  const name = `sendoff_test_${randomBytes(8).toString('hex')}`;
  await asAdministrator(server, [`create database ${name} template ${templates[program]}`]);
  return {
    url: `${server}/${name}`,
    end: () => asAdministrator(server, [`drop database ${name} with (force)`]),
  };
}

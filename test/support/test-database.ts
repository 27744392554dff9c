import { randomBytes } from 'node:crypto';
import { accessSync, constants, copyFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { inject } from 'vitest';
import { databaseAt } from '../../src/cli/databases/program-databases.ts';
import { builtOnce } from './built-once.ts';
import { emptyDatabase, type KeptState, keptStateOf } from './postgres/emptied-databases.ts';
import { asAdministrator } from './postgres/postgres-cluster.ts';
import { TEST_DATABASES, templates } from './postgres/provide-postgres.ts';

export interface TestDatabase {
  readonly url: string;
  /** Call it after everything has closed the database. */
  readonly end: () => Promise<void>;
}

/** Undefined on SQLite, and outside vitest. */
const serverOfProject = (): string | undefined =>
  process.env['VITEST'] === undefined ? undefined : inject('postgresUrl');

/** Which database this project of vitest tests: the same test files run in both. */
export const databaseKind = (): 'sqlite' | 'postgres' => (serverOfProject() === undefined ? 'sqlite' : 'postgres');

/** For tests of what only SQLite has, such as its file. */
export const onSqlite = (define: () => void): void => {
  if (databaseKind() === 'sqlite') define();
};

/** For tests of what only PostgreSQL has, such as its server. */
export const onPostgres = (define: () => void): void => {
  if (databaseKind() === 'postgres') define();
};

type Program = keyof typeof templates;

/**
 * A database of its own without rows of tests, with the schema of the program.
 *
 * @param server a PostgreSQL server with templates; by default the one of the project
 */
export async function testDatabase(program: Program, server?: string): Promise<TestDatabase> {
  if (server !== undefined) return newDatabase(templates[program], server);
  if (serverOfProject() === undefined) return copiedFile(program);
  const { url, end } = emptied[program].pop() ?? (await newDatabase(templates[program]));
  const kept = (keptStates[program] ??= await keptStateOf(url));
  return {
    url,
    end: async () => {
      if (await emptyDatabase(url, kept)) emptied[program].push({ url, end });
      else await end();
    },
  };
}

/** Of this process, on PostgreSQL. */
const emptied: Readonly<Record<Program, TestDatabase[]>> = { orchestrator: [], 'email-service': [] };
const keptStates: Partial<Record<Program, KeptState>> = {};

/** A new database without any schema; on SQLite, a file that does not exist. */
export const emptyTestDatabase = (): Promise<TestDatabase> => newDatabase('template1');

const MEMORY_DISK = '/dev/shm';
/** Many times what the databases of a run take; a container often has 64 MB. */
const MEMORY_BYTES_MIN = 1_000_000_000;

/** In memory where there is room: a commit on a busy disk takes tens of milliseconds, in which the whole process waits. */
function databasesFolder(): string {
  try {
    accessSync(MEMORY_DISK, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY_DISK);
    if (bavail * bsize >= MEMORY_BYTES_MIN) return MEMORY_DISK;
  } catch {
    // There is none: macOS, Windows.
  }
  return tmpdir();
}

const migratedFiles: Partial<Record<Program, Promise<string>>> = {};

/** Migrations take ten times as long as a copy of their result. */
async function copiedFile(program: Program): Promise<TestDatabase> {
  const database = newFile();
  // The files of a run's builds are there in vitest only.
  if (process.env['VITEST'] === undefined) return database;
  migratedFiles[program] ??= builtOnce(`migrated-${program}`, async (folder) => {
    const migrated = databaseAt(program, `file:${join(folder, 'migrated.db')}`, {});
    await migrated.migrate();
    const { database } = await migrated.inspect();
    // A file in use has the last changes beside it.
    await sql`vacuum into ${join(folder, FILE)}`.execute(database);
    await database.destroy();
  });
  copyFileSync(join(await migratedFiles[program], FILE), database.url.slice('file:'.length));
  const opened = (await databaseAt(program, database.url, {}).inspect()).database;
  await sql`update installation set id = ${randomBytes(6).toString('hex')}`.execute(opened);
  await opened.destroy();
  return database;
}

const FILE = 'test.db';

function newFile(): TestDatabase {
  const folder = mkdtempSync(join(databasesFolder(), 'sendoff-database-'));
  return {
    url: `file:${join(folder, FILE)}`,
    end: async () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function newDatabase(template: string, server = serverOfProject()): Promise<TestDatabase> {
  if (server === undefined) return newFile();
  const name = `${TEST_DATABASES}${randomBytes(8).toString('hex')}`;
  await asAdministrator(server, [`create database ${name} template ${template}`]);
  return {
    url: `${server}/${name}`,
    end: async () => {
      await asAdministrator(server, [`drop database ${name} with (force)`]);
    },
  };
}

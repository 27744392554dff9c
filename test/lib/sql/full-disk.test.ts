// A real disk that is full, where this process may mount one: reads and the smallest writes still succeed on it.
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseAt } from '../../../src/cli/databases/program-databases.ts';
import { buildHttpApp } from '../../../src/http/app.ts';
import { proveWritable } from '../../../src/lib/sql/prove-writable.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { startTestApi } from '../../email-service/support/test-api.ts';
import { httpDependencies } from '../../support/http-dependencies.ts';
import {
  asAdministrator,
  findPostgres,
  type PostgresCluster,
  startPostgres,
  unprivilegedUser,
} from '../../support/postgres/postgres-cluster.ts';
import { makeTemplates, templates } from '../../support/postgres/provide-postgres.ts';
import { databaseKind, type TestDatabase } from '../../support/test-database.ts';
import { tinyDisk } from '../../support/tiny-disk.ts';

/** A new database of PostgreSQL takes eight. */
const MEGABYTES = 40;
const TABLESPACE = 'tiny';
const binaries = databaseKind() === 'postgres' ? findPostgres() : undefined;
const disk = databaseKind() === 'sqlite' || binaries !== undefined ? tinyDisk(MEGABYTES) : undefined;
/** Not the one of the other tests: the checkpoint with which it makes a database would fail for the full disk. */
let cluster: PostgresCluster | undefined;
let made = 0;

/** Of which everything is on the tiny disk, but PostgreSQL's log. */
async function databaseOn(folder: string, program: keyof typeof templates): Promise<TestDatabase> {
  made += 1;
  const end = async (): Promise<void> => undefined;
  if (cluster === undefined) {
    const url = `file:${join(folder, `full-${made}.db`)}`;
    await databaseAt(program, url, {}).migrate();
    return { url, end };
  }
  const name = `${TABLESPACE}_${made}`;
  await asAdministrator(cluster.url, [
    `create database ${name} template ${templates[program]} tablespace ${TABLESPACE}`,
  ]);
  return { url: `${cluster.url}/${name}`, end };
}

beforeAll(async () => {
  if (disk === undefined || binaries === undefined) return;
  cluster = await startPostgres({ binaries });
  await makeTemplates(cluster.url);
  const folder = join(disk.folder, 'postgres');
  mkdirSync(folder);
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  await asAdministrator(cluster.url, [`create tablespace ${TABLESPACE} location '${folder}'`]);
});
afterAll(async () => {
  await cluster?.stop();
  disk?.end();
});

const write = async (database: Kysely<never>, megabytes: number): Promise<unknown> =>
  sql`insert into filler values (${randomBytes(megabytes * 500_000).toString('hex')})`.execute(database);

/** Fills the disk until a write has failed, and frees it again. */
async function expectUnready(database: Kysely<never>, readyz: () => Promise<number>): Promise<void> {
  await sql`create table filler (content text)`.execute(database);
  await write(database, 1);
  // The next small writes of SQLite need no space: its log begins anew.
  if (databaseKind() === 'sqlite') await sql`PRAGMA wal_checkpoint(RESTART)`.execute(database);
  expect(await readyz()).toBe(200);
  disk?.fill();
  try {
    await expect(write(database, 3)).rejects.toMatchObject({ code: /^(?:53100|SQLITE_FULL)$/ });
    // The load balancer asks again and again. What SQLite frees at the end of its log is taken, too.
    for (let time = 0; time < 3; time += 1) {
      disk?.fill();
      expect(await readyz()).toBe(503);
    }
    await expect(proveWritable(database)).rejects.toMatchObject({ code: expect.any(String) as string });
    await sql`select count(*) from filler`.execute(database);
  } finally {
    disk?.free();
  }
  expect(await readyz()).toBe(200);
  await write(database, 3);
  expect(await readyz()).toBe(200);
  const { rows } = await sql<{ count: number }>`select count(*) as count from filler`.execute(database);
  expect(rows).toEqual([{ count: 2 }]);
}

describe.skipIf(disk === undefined)(
  'after a write that the disk had no space for, readyz answers 503 until there is space',
  () => {
    test('of the orchestrator', async () => {
      const { url, end } = await databaseOn(disk?.folder ?? '', 'orchestrator');
      const database = await openDatabase(url);
      const app = buildHttpApp(httpDependencies({ checkDatabase: () => proveWritable(database) }));
      try {
        await expectUnready(database as never, async () => (await app.inject('/readyz')).statusCode);
      } finally {
        await app.close();
        await database.destroy();
        await end();
      }
    });

    test('of the email service', async () => {
      const api = await startTestApi({}, databaseOn(disk?.folder ?? '', 'email-service'));
      try {
        await expectUnready(api.store as never, async () => (await api.get('/readyz')).statusCode);
      } finally {
        await api.end();
      }
    });
  },
);

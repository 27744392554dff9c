import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Generated, Kysely, type Migration, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { DatabaseConnectionError, isDatabaseOutOfReach } from '../../../../src/lib/sql/database-error.ts';
import {
  migrateSqlDatabase,
  NotMigratedError,
  openSqlDatabase,
  type OpenSqlOptions,
} from '../../../../src/lib/sql/sql-database.ts';
import { proveWritable } from '../../../../src/lib/sql/prove-writable.ts';
import { databaseNow, inSnapshot, inTransaction, lockName, sendAhead } from '../../../../src/lib/sql/transactions.ts';
import {
  asAdministrator,
  type ClusterOptions,
  findPostgres,
  type PostgresCluster,
  startPostgres,
} from '../../../support/postgres/postgres-cluster.ts';
import { startTcpProxy } from '../../../support/tcp-proxy.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { gate } from '../../../support/held-calls.ts';

interface Tables {
  numbers: { id: Generated<number>; name: string };
}

const first: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('numbers')
      .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('name', 'text', (column) => column.notNull())
      .execute();
  },
};
const failing: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`create table half (id text)`.execute(database);
    throw new Error('killed here');
  },
};
const migrations = { '0001-first': first };

const server = inject('postgresUrl') ?? '';
let name: string;
let url: string;
let opened: Kysely<Tables>[];

beforeEach(async () => {
  name = `sendoff_test_${randomBytes(8).toString('hex')}`;
  url = `${server}/${name}`;
  opened = [];
  await asAdministrator(server, [`create database ${name}`]);
});
afterEach(async () => {
  await Promise.all(opened.map((database) => database.destroy()));
  await asAdministrator(server, [`drop database ${name} with (force)`]);
});

async function open(options: OpenSqlOptions = {}, at = url): Promise<Kysely<Tables>> {
  const database = await openSqlDatabase<Tables>(at, migrations, { setting: 'A_DATABASE_URL', ...options });
  opened.push(database);
  return database;
}

async function openMigrated(options: OpenSqlOptions = {}): Promise<Kysely<Tables>> {
  await migrateSqlDatabase(url, migrations);
  return open(options);
}

/** Behind a proxy, which can be cut. */
async function openThroughProxy(options: OpenSqlOptions = {}) {
  const proxy = await startTcpProxy(new URL(server).host);
  onTestFinished(() => proxy.stop());
  const through = new URL(url);
  through.host = proxy.address;
  await migrateSqlDatabase(url, migrations);
  return { proxy, database: await open(options, through.href) };
}

/** Another server, with encryption, until the test has ended. */
async function startOther(tls: NonNullable<ClusterOptions['tls']>): Promise<PostgresCluster> {
  const binaries = findPostgres();
  if (binaries === undefined) throw new Error('PostgreSQL is not installed here');
  const cluster = await startPostgres({ binaries, tls });
  onTestFinished(() => cluster.stop());
  return cluster;
}

describe('migrations', () => {
  test('a program refuses to start before them, and names the command', async () => {
    const refused = open();
    await expect(refused).rejects.toThrow(NotMigratedError);
    await expect(refused).rejects.toThrow(
      `A_DATABASE_URL is ${url}, which lacks 1 migration of this version: 0001-first. Apply them with: sendoff migrate`,
    );
  });

  test('of eight that migrate at once, one applies them', async () => {
    const applied = await Promise.all(Array.from({ length: 8 }, () => migrateSqlDatabase(url, migrations)));
    expect(applied.filter((names) => names.length > 0).length).toBeGreaterThanOrEqual(1);
    await expect(open()).resolves.toBeInstanceOf(Kysely);
  });

  test('a migration that is cut off leaves nothing', async () => {
    await expect(migrateSqlDatabase(url, { ...migrations, '0002-failing': failing })).rejects.toThrow('killed here');
    expect(await migrateSqlDatabase(url, migrations)).toEqual(['0001-first']);
  });

  test('an earlier version starts on the database of a later one, and migrates nothing', async () => {
    await migrateSqlDatabase(url, { ...migrations, '0002-later': { up: async () => undefined } });
    await expect(open()).resolves.toBeInstanceOf(Kysely);
    expect(await migrateSqlDatabase(url, migrations)).toEqual([]);
  });

  test('two programs use one database, each with its own tables', async () => {
    await migrateSqlDatabase(url, migrations, { schema: 'one' });
    await migrateSqlDatabase(url, migrations, { schema: 'two' });
    const [one, two] = [await open({ schema: 'one' }), await open({ schema: 'two' })];
    await one.insertInto('numbers').values({ name: 'of one' }).execute();
    expect(await two.selectFrom('numbers').selectAll().execute()).toEqual([]);
  });
});

describe('columns', () => {
  test('sort by bytes, and hold integers of 53 bits', async () => {
    const database = await openMigrated();
    const names = ['b', 'B', 'a', 'A', 'ä', '_', '~'];
    await database
      .insertInto('numbers')
      .values(names.map((each, index) => ({ id: Number.MAX_SAFE_INTEGER - index, name: each })))
      .execute();
    const rows = await database.selectFrom('numbers').selectAll().orderBy('name').execute();
    expect(rows.map((row) => row.name)).toEqual(['A', 'B', '_', 'a', 'b', '~', 'ä']);
    expect(rows[1]).toEqual({ id: Number.MAX_SAFE_INTEGER - 1, name: 'B' });
  });

  test('hold no NUL, and a text with one equals none', async () => {
    const database = await openMigrated();
    await database.insertInto('numbers').values({ name: 'a' }).execute();
    expect(await database.selectFrom('numbers').select('id').where('name', '=', 'a\0').execute()).toEqual([]);
    expect(await database.selectFrom('numbers').select('id').where('name', 'in', []).execute()).toEqual([]);
  });
});

test('an error names the constraint, and no value of the row', async () => {
  const database = await openMigrated();
  const insert = () => database.insertInto('numbers').values({ id: 1, name: 'a secret' }).execute();
  await insert();
  await expect(insert()).rejects.toMatchObject({ code: '23505', constraint: 'numbers_pkey', detail: undefined });
});

describe('transactions', () => {
  test('a deadlock is repeated, and both commit', async () => {
    const database = await openMigrated();
    await database
      .insertInto('numbers')
      .values([
        { id: 1, name: '' },
        { id: 2, name: '' },
      ])
      .execute();
    const met = barrier(2);
    const runs = { one: 0, two: 0 };
    const add = (by: 'one' | 'two', ids: readonly number[]) =>
      inTransaction(database, async (transaction) => {
        runs[by] += 1;
        for (const [index, id] of ids.entries()) {
          await transaction
            .updateTable('numbers')
            .set({ name: sql`name || ${by[0]}` })
            .where('id', '=', id)
            .execute();
          if (index === 0 && runs[by] === 1) await met();
        }
      });
    await Promise.all([add('one', [1, 2]), add('two', [2, 1])]);
    // On a busy machine the repeated one may meet the other again.
    expect(runs.one + runs.two).toBeGreaterThan(2);
    const rows = await database.selectFrom('numbers').select('name').execute();
    expect(rows.map((row) => ['ot', 'to'].includes(row.name))).toEqual([true, true]);
  });

  test('a snapshot does not see what commits while it reads, and may not write', async () => {
    const database = await openMigrated();
    const count = (from: Pick<Kysely<Tables>, 'selectFrom'>) => from.selectFrom('numbers').select('id').execute();
    await inSnapshot(database, async (snapshot) => {
      expect(await count(snapshot)).toHaveLength(0);
      await database.insertInto('numbers').values({ name: 'later' }).execute();
      expect(await count(snapshot)).toHaveLength(0);
    });
    const writing = inSnapshot(database, (snapshot) => snapshot.deleteFrom('numbers').execute());
    await expect(writing).rejects.toThrow('read-only transaction');
    expect(await count(database)).toHaveLength(1);
  });

  test('a name is held by one transaction until its commit', async () => {
    const database = await openMigrated();
    let holders = 0;
    const most: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, () =>
        inTransaction(database, async (transaction) => {
          await lockName(transaction, 'tenant/acme');
          await sql`select pg_sleep(0.005)`.execute(transaction);
          holders += 1;
          most.push(holders);
          await sql`select pg_sleep(0.005)`.execute(transaction);
          holders -= 1;
        }),
      ),
    );
    expect(most).toEqual(Array(8).fill(1));
  });

  const inserted = (transaction: Kysely<Tables>, ...ids: number[]) =>
    transaction.insertInto('numbers').values(ids.map((id) => ({ id, name: String(id) })));

  test('what is sent ahead costs no round trip', async () => {
    const { proxy, database } = await openThroughProxy({ connections: 1 });
    const before = proxy.roundTrips();
    await inTransaction(database, async (transaction) => {
      await lockName(transaction, 'tenant/acme');
      expect(await transaction.selectFrom('numbers').selectAll().execute()).toEqual([]);
      await sendAhead(transaction, inserted(transaction, 1));
      await sendAhead(transaction, inserted(transaction, 2, 3));
    });
    expect(proxy.roundTrips() - before).toBe(2);
    expect(await database.selectFrom('numbers').select('id').orderBy('id').execute()).toEqual(
      [1, 2, 3].map((id) => ({ id })),
    );
  });

  test.each<[string, (transaction: Kysely<Tables>) => Promise<unknown>]>([
    ['the commit', async () => undefined],
    ['another one', (transaction) => sendAhead(transaction, inserted(transaction, 2))],
    ['one whose answer is awaited', (transaction) => inserted(transaction, 2).execute()],
    [
      'an error of the work',
      async () => {
        throw new Error('of the work');
      },
    ],
  ])('what fails, sent ahead of %s, fails the transaction with its own error', async (_, then) => {
    const database = await openMigrated({ connections: 1 });
    await inserted(database, 1).execute();
    const failing = inTransaction(database, async (transaction) => {
      await sendAhead(transaction, inserted(transaction, 3));
      await sendAhead(transaction, inserted(transaction, 1));
      return then(transaction);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505', constraint: 'numbers_pkey' });
    expect(await database.selectFrom('numbers').select('id').execute()).toEqual([{ id: 1 }]);
  });

  test('a BEGIN that fails commits nothing of what follows it', async () => {
    const database = await openMigrated();
    const driver = Client.prototype as { query: (...given: unknown[]) => Promise<unknown> };
    const { query } = driver;
    const failing = vi.spyOn(driver, 'query').mockImplementation(async function (this: Client, text, ...rest) {
      return Reflect.apply(query, this, [text === 'begin' ? 'begin of nothing' : text, ...rest]);
    });
    try {
      const works: ((transaction: Kysely<Tables>) => Promise<unknown>)[] = [
        (transaction) => sendAhead(transaction, inserted(transaction, 1)),
        (transaction) => inserted(transaction, 2).execute(),
        async (transaction) => {
          await lockName(transaction, 'tenant/acme');
          await transaction.selectFrom('numbers').selectAll().execute();
          await sendAhead(transaction, inserted(transaction, 3));
        },
        (transaction) => transaction.selectFrom('numbers').selectAll().execute(),
      ];
      for (const work of works) await expect(inTransaction(database, work)).rejects.toMatchObject({ code: '42601' });
    } finally {
      failing.mockRestore();
    }
    expect(await database.selectFrom('numbers').selectAll().execute()).toEqual([]);
  });

  test('a statement that fails while another is sent ahead after it is named by its own error', async () => {
    const database = await openMigrated();
    await inserted(database, 1).execute();
    const both = inTransaction(database, async (transaction) => {
      await Promise.all([inserted(transaction, 1).execute(), sendAhead(transaction, inserted(transaction, 2))]);
    });
    await expect(both).rejects.toMatchObject({ code: '23505' });
  });

  test('a transaction that continues after a statement that failed does not succeed', async () => {
    const database = await openMigrated();
    const going = inTransaction(database, async (transaction) => {
      await inserted(transaction, 1).execute();
      await inserted(transaction, 1)
        .execute()
        .catch(() => undefined);
    });
    await expect(going).rejects.toThrow('the transaction was rolled back');
    expect(await database.selectFrom('numbers').selectAll().execute()).toEqual([]);
  });

  test('a deadlock of statements sent ahead is repeated, and both commit', async () => {
    const database = await openMigrated();
    await inserted(database, 1, 2).execute();
    const met = barrier(2);
    let runs = 0;
    const add = (letter: string, ids: readonly number[]) =>
      inTransaction(database, async (transaction) => {
        runs += 1;
        for (const [index, id] of ids.entries()) {
          const append = transaction.updateTable('numbers').set({ name: sql`name || ${letter}` });
          await sendAhead(transaction, append.where('id', '=', id));
          if (index > 0 || runs > 2) continue;
          await sql`select 1`.execute(transaction);
          await met();
        }
      });
    await Promise.all([add('o', [1, 2]), add('t', [2, 1])]);
    expect(runs).toBeGreaterThan(2);
    const rows = await database.selectFrom('numbers').select('name').orderBy('id').execute();
    expect(rows.map(({ name: each }) => /^\d(?:ot|to)$/.test(each))).toEqual([true, true]);
  });

  test("the clock is the server's, in milliseconds", async () => {
    const database = await openMigrated();
    const { rows } = await sql<{ now: number }>`select ${databaseNow(database)} as now`.execute(database);
    expect(Math.abs((rows[0]?.now ?? 0) - Date.now())).toBeLessThan(60_000);
  });
});

describe('a server that is out of reach', () => {
  test('ends no process: the next query uses a new connection', async () => {
    const database = await openMigrated({ connections: 2 });
    const other = await open();
    const running = sql`select pg_sleep(30)`.execute(database);
    const failed = expect(running).rejects.toSatisfy(isDatabaseOutOfReach);
    const terminate = sql<{ ended: boolean }>`
      select pg_terminate_backend(pid) as ended from pg_stat_activity
      where datname = ${name} and pid <> pg_backend_pid() and query like '%pg_sleep%' and state = 'active'`;
    await expect.poll(async () => (await terminate.execute(other)).rows).toEqual([{ ended: true }]);
    await failed;
    expect(await database.selectFrom('numbers').selectAll().execute()).toEqual([]);
  });

  test('in the middle of a transaction, nothing of it stays', async () => {
    const { proxy, database } = await openThroughProxy();
    const cut = inTransaction(database, async (transaction) => {
      await transaction.insertInto('numbers').values({ name: 'half' }).execute();
      proxy.cut();
      await transaction.insertInto('numbers').values({ name: 'whole' }).execute();
    });
    await expect(cut).rejects.toThrow(DatabaseConnectionError);
    await expect(database.selectFrom('numbers').selectAll().execute()).rejects.toSatisfy(isDatabaseOutOfReach);
    proxy.restore();
    expect(await database.selectFrom('numbers').selectAll().execute()).toEqual([]);
  });

  test('while answers of statements sent ahead are due, ends no process, and the transaction fails', async () => {
    const { proxy, database } = await openThroughProxy();
    const cut = inTransaction(database, async (transaction) => {
      await transaction.insertInto('numbers').values({ name: 'half' }).execute();
      proxy.cut();
      await sendAhead(transaction, transaction.insertInto('numbers').values({ name: 'whole' }));
      await sendAhead(transaction, transaction.insertInto('numbers').values({ name: 'more' }));
    });
    await expect(cut).rejects.toThrow(DatabaseConnectionError);
    proxy.restore();
    expect(await database.selectFrom('numbers').selectAll().execute()).toEqual([]);
  });

  test('a database that takes no writes is not ready', async () => {
    await migrateSqlDatabase(url, { ...migrations, '0002': { up: installation } });
    const writable = await open();
    expect(await proveWritable(writable)).toBe(true);
    await asAdministrator(server, [`alter database ${name} set default_transaction_read_only = on`]);
    const standby = await open();
    await expect(proveWritable(standby)).rejects.toSatisfy(isDatabaseOutOfReach);
  });

  test('because it has become read-only is left: the next connection may find the one that replaced it', async () => {
    const readOnly = (how: string) => asAdministrator(server, [`alter database ${name} ${how}`]);
    await migrateSqlDatabase(url, migrations);
    await readOnly('set default_transaction_read_only = on');
    const database = await open({ connections: 1 });
    await readOnly('reset default_transaction_read_only');
    const write = () => database.insertInto('numbers').values({ name: 'one' }).execute();
    await expect(write()).rejects.toMatchObject({ code: '25006' });
    await write();
  });

  test('and a wrong database are named without the password', async () => {
    const secret = url.replace('postgres@', 'postgres:very-secret@');
    const failure = await open({}, `${secret}_missing`).catch((error: unknown) => error as Error);
    expect(failure).toMatchObject({ message: expect.stringMatching(/^A_DATABASE_URL is postgres:.*does not exist$/) });
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('very-secret');
  });
});

/** The certificate is for the name `localhost` alone, and its own authority. */
function makeCertificate(folder: string): { certificate: string; key: string } {
  const [certificate, key] = [join(folder, 'server.crt'), join(folder, 'server.key')];
  const arguments_ = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...arguments_, ...names, '-out', certificate, '-keyout', key], { stdio: 'pipe' });
  return { certificate, key };
}

test('a connection is encrypted and its server verified, with a password from a file that changes', async () => {
  const folder = temporaryFolder();
  const { certificate, key } = makeCertificate(folder);
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, 'first\n');
  const cluster = await startOther({ certificate, key });
  await asAdministrator(cluster.url, [
    `create database tls`,
    `create role app login password 'first'`,
    `grant all on database tls to app`,
  ]);
  const port = new URL(cluster.url).port;
  const at = (host: string, parameters: string): string => `postgres://app@${host}:${port}/tls?${parameters}`;
  const verified = `sslmode=verify-full&sslrootcert=${encodeURIComponent(certificate)}`;
  const options = { setting: 'A_DATABASE_URL', passwordFile };
  await migrateSqlDatabase(at('localhost', verified), migrations, options);
  const database = await open({ ...options, connections: 2 }, at('localhost', verified));
  const { rows } = await sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(
    database,
  );
  expect(rows).toEqual([{ ssl: true }]);

  const refused = (host: string, parameters: string) =>
    expect(openSqlDatabase(at(host, parameters), migrations, options)).rejects;
  await refused('localhost', 'sslmode=verify-full').toThrow('self-signed certificate');
  await refused('127.0.0.1', verified).toThrow("does not match certificate's altnames");
  await refused('localhost', 'sslmode=disable').toThrow('no encryption');

  await asAdministrator(cluster.url, [`alter role app password 'second'`]);
  await refused('localhost', verified).toThrow('password authentication failed for user "app"');
  writeFileSync(passwordFile, 'second');
  await (await open(options, at('localhost', verified))).destroy();

  const renewed = makeCertificate(temporaryFolder());
  await cluster.replaceCertificate(renewed);
  const end = sql`select pg_terminate_backend(pg_backend_pid())`;
  for (const connection of [1, 2]) await expect(end.execute(database), String(connection)).rejects.toThrow();
  await expect(sql`select 1`.execute(database)).rejects.toThrow('self-signed certificate');
  rmSync(certificate);
  await expect(sql`select 1`.execute(database)).rejects.toThrow('self-signed certificate');
  writeFileSync(certificate, readFileSync(renewed.certificate));
  await sql`select 1`.execute(database);
});

test('without a password no connection stays open', async () => {
  const folder = temporaryFolder();
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, 'right');
  const cluster = await startOther(makeCertificate(folder));
  const proxy = await startTcpProxy(new URL(cluster.url).host);
  onTestFinished(() => proxy.stop());
  await asAdministrator(cluster.url, [
    'create database guarded',
    `create role app login password 'right'`,
    'grant all on database guarded to app',
  ]);
  const at = `postgres://app@${proxy.address}/guarded?sslmode=require`;
  await migrateSqlDatabase(at, migrations, { passwordFile });
  await expect.poll(proxy.connections).toBe(0);
  const refused = () => expect(openSqlDatabase(at, migrations, { passwordFile })).rejects;
  writeFileSync(passwordFile, '\n');
  await refused().toThrow('the password file is empty');
  rmSync(passwordFile);
  await refused().toThrow('ENOENT');
  await expect.poll(proxy.connections, { timeout: 5_000 }).toBe(0);
});

test('a database in another encoding is refused', async () => {
  const latin = `${name}_latin1`;
  await asAdministrator(server, [`create database ${latin} encoding 'LATIN1' locale 'C' template template0`]);
  try {
    const refused = expect(migrateSqlDatabase(`${server}/${latin}`, migrations)).rejects;
    await refused.toThrow("its encoding is LATIN1, not UTF8. Create it with: create database … encoding 'UTF8'");
  } finally {
    await asAdministrator(server, [`drop database ${latin} with (force)`]);
  }
});

test('the isolation that a role has by default does not matter', async () => {
  await asAdministrator(server, [`alter database ${name} set default_transaction_isolation = 'serializable'`]);
  const { rows } = await sql`select current_setting('transaction_isolation') as isolation`.execute(
    await openMigrated(),
  );
  expect(rows).toEqual([{ isolation: 'read committed' }]);
});

const installation = (database: Kysely<unknown>): Promise<void> =>
  sql`create table installation (id text)`.execute(database).then(() => undefined);

/** Each call resolves when `count` calls were made. */
function barrier(count: number): () => Promise<void> {
  let waiting = count;
  const { open: release, opened: released } = gate();
  return () => {
    waiting -= 1;
    if (waiting === 0) release();
    return released;
  };
}

test('nothing is in an empty list', async () => {
  const database = await openMigrated();
  await database.insertInto('numbers').values({ name: 'one' }).execute();
  const numbers = database.selectFrom('numbers').select('name');
  expect(await numbers.where('name', 'in', []).execute()).toEqual([]);
  expect(await numbers.where('name', 'not in', []).execute()).toEqual([{ name: 'one' }]);
});

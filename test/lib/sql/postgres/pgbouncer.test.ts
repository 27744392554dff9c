import { randomBytes } from 'node:crypto';
import { type Migration, sql } from 'kysely';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { migrateSqlDatabase, openSqlDatabase } from '../../../../src/lib/sql/sql-database.ts';
import { inTransaction, lockName, sendAhead } from '../../../../src/lib/sql/transactions.ts';
import { findPgBouncer, type PgBouncer, startPgBouncer } from '../../../support/postgres/pgbouncer.ts';
import { asAdministrator } from '../../../support/postgres/postgres-cluster.ts';

interface Tables {
  numbers: { id: number };
}

const migrations: Record<string, Migration> = {
  '0001-first': {
    up: (database) => database.schema.createTable('numbers').addColumn('id', 'integer').execute(),
  },
};

const server = inject('postgresUrl') ?? '';
let name: string;
let pooler: PgBouncer | undefined;

beforeEach(async () => {
  name = `sendoff_test_${randomBytes(8).toString('hex')}`;
  await asAdministrator(server, [`create database ${name}`]);
});
afterEach(async () => {
  await pooler?.stop();
  pooler = undefined;
  await asAdministrator(server, [`drop database ${name} with (force)`]);
});

async function throughPooler(poolMode: 'session' | 'transaction'): Promise<string> {
  pooler = await startPgBouncer({ executable: findPgBouncer() ?? '', target: new URL(server).host, poolMode });
  return `postgres://postgres@${pooler.address}/${name}`;
}

test('a pooler that keeps sessions needs no settings: each program finds its own tables', async () => {
  const url = await throughPooler('session');
  for (const schema of ['one', 'two']) expect(await migrateSqlDatabase(url, migrations, { schema })).toHaveLength(1);
  const one = await openSqlDatabase<Tables>(url, migrations, { schema: 'one' });
  const two = await openSqlDatabase<Tables>(url, migrations, { schema: 'two' });
  try {
    await Promise.all(
      Array.from({ length: 50 }, (_, id) =>
        inTransaction(one, async (transaction) => {
          await lockName(transaction, 'numbers');
          await sendAhead(transaction, transaction.insertInto('numbers').values({ id }));
        }),
      ),
    );
    expect(await one.selectFrom('numbers').selectAll().execute()).toHaveLength(50);
    expect(await two.selectFrom('numbers').selectAll().execute()).toEqual([]);
    const settings = ['search_path', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    const set = settings.map((setting) => sql`current_setting(${setting})`);
    const { rows } = await sql<{ set: string[] }>`select array[${sql.join(set)}] as set`.execute(one);
    expect(rows[0]?.set).toEqual(['one', '10s', '5s', '10s']);
  } finally {
    await Promise.all([one.destroy(), two.destroy()]);
  }
});

test('one that gives each transaction another session is refused', async () => {
  const url = await throughPooler('transaction');
  const message = 'Let it keep one for each connection (PgBouncer: pool_mode = session)';
  await expect(migrateSqlDatabase(url, migrations, { setting: 'A_DATABASE_URL' })).rejects.toThrow(message);
  await expect(openSqlDatabase(url, migrations)).rejects.toThrow(message);

  // While other programs use its sessions, even with one connection.
  const busy = Array.from({ length: 6 }, () => new Client({ connectionString: url }));
  await Promise.all(busy.map((client) => client.connect()));
  let isOver = false;
  const load = busy.map(async (client) => {
    while (!isOver) await client.query('select pg_sleep(random() / 500)');
    await client.end();
  });
  try {
    for (const connections of [1, 1, 1, 10, 10, 10])
      await expect(openSqlDatabase(url, migrations, { connections }), `${connections}`).rejects.toThrow(message);
  } finally {
    isOver = true;
    await Promise.all(load);
  }
});

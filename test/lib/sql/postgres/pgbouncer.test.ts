import { randomBytes } from 'node:crypto';
import { type Migration, sql } from 'kysely';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { migrateSqlDatabase, openSqlDatabase } from '../../../../src/lib/sql/sql-database.ts';
import { inTransaction, lockName, sendAhead } from '../../../../src/lib/sql/transactions.ts';
import { findPgBouncer, type PgBouncer, startPgBouncer } from '../../../support/postgres/pgbouncer.ts';
import { asAdministrator } from '../../../support/postgres/provide-postgres.ts';

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
let pooler: PgBouncer;

beforeEach(async () => {
  name = `sendoff_test_${randomBytes(8).toString('hex')}`;
  await asAdministrator(server, [`create database ${name}`]);
});
afterEach(async () => {
  await pooler.stop();
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
    const { rows } = await sql<{ lock_timeout: string }>`show lock_timeout`.execute(one);
    expect(rows).toEqual([{ lock_timeout: '5s' }]);
  } finally {
    await Promise.all([one.destroy(), two.destroy()]);
  }
});

test('one that gives each transaction another session is refused', async () => {
  const url = await throughPooler('transaction');
  const message = 'Let it keep one for each connection (PgBouncer: pool_mode = session)';
  await expect(migrateSqlDatabase(url, migrations, { setting: 'A_DATABASE_URL' })).rejects.toThrow(message);
  await expect(openSqlDatabase(url, migrations)).rejects.toThrow(message);
});

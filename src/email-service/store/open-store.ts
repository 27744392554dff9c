import type { Kysely, Transaction } from 'kysely';
import type { PostgresOptions } from '../../lib/sql/postgres-dialect.ts';
import { copiedTablesOf } from '../../lib/sql/copy-tables.ts';
import { openSqlDatabase } from '../../lib/sql/sql-database.ts';
import { baseline, baselineTables } from './migrations/0001-baseline.ts';
import type { Schema } from './schema.ts';

export type Store = Kysely<Schema>;
/** For writes that must commit together with others. */
export type StoreTransaction = Transaction<Schema>;

export const migrations = { '0001-baseline': baseline };
export const copiedTables = copiedTablesOf(baselineTables);

/** The names of the database and of its place on PostgreSQL. */
export const storeOptions = {
  setting: 'EMAIL_SERVICE_DATABASE_URL',
  schema: 'email_service',
  owner: 'email service',
} as const;

/** @param url `file:PATH` or `postgres:…` */
export const openStore = (url: string, options: PostgresOptions = {}): Promise<Store> =>
  openSqlDatabase<Schema>(url, migrations, { ...storeOptions, ...options });

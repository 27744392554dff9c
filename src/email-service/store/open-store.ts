import type { Kysely, Transaction } from 'kysely';
import type { PostgresOptions } from '../../lib/sql/postgres-dialect.ts';
import { openSqlDatabase } from '../../lib/sql/sql-database.ts';
import { initial } from './migrations/0001-initial.ts';
import { lists } from './migrations/0002-lists.ts';
import { installation } from './migrations/0003-installation.ts';
import { oldestStarts } from './migrations/0004-oldest-starts.ts';
import { namespace } from './migrations/0005-namespace.ts';
import { leases } from './migrations/0006-leases.ts';
import { retention } from './migrations/0007-retention.ts';
import { firstAttempts } from './migrations/0008-first-attempts.ts';
import { pendingPages } from './migrations/0009-pending-pages.ts';
import { keyScopes } from './migrations/0010-key-scopes.ts';
import { namespaceId } from './migrations/0011-namespace-id.ts';
import type { Schema } from './schema.ts';

export type Store = Kysely<Schema>;
/** For writes that must commit together with others. */
export type StoreTransaction = Transaction<Schema>;

export const migrations = {
  '0001-initial': initial,
  '0002-lists': lists,
  '0003-installation': installation,
  '0004-oldest-starts': oldestStarts,
  '0005-namespace': namespace,
  '0006-leases': leases,
  '0007-retention': retention,
  '0008-first-attempts': firstAttempts,
  '0009-pending-pages': pendingPages,
  '0010-key-scopes': keyScopes,
  '0011-namespace-id': namespaceId,
};
/** What names the database and its place on PostgreSQL. */
export const storeOptions = { setting: 'EMAIL_SERVICE_DATABASE_URL', schema: 'email_service' } as const;

/** @param url `file:PATH` or `postgres:…` */
export const openStore = (url: string, options: PostgresOptions = {}): Promise<Store> =>
  openSqlDatabase<Schema>(url, migrations, { ...storeOptions, ...options });

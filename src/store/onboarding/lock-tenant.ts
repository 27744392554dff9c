import type { Kysely } from 'kysely';
import { lockName } from '../../lib/sql/transactions.ts';
import type { Schema } from '../database.ts';

/** The first step of every transaction that changes a tenant's rows: the tenant may have none yet. */
export const lockTenant = (transaction: Kysely<Schema>, tenantId: string): Promise<void> =>
  lockName(transaction, `tenant/${tenantId}`);

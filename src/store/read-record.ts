import type { Kysely } from 'kysely';
import type { Schema } from './database.ts';
import type { StoredRecord } from './register.ts';
import { toRecord } from './register-rows.ts';

export async function readRecord(database: Kysely<Schema>, tenantId: string): Promise<StoredRecord | undefined> {
  const row = await database.selectFrom('onboardings').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst();
  return row && toRecord(row);
}

import { type Kysely, sql } from 'kysely';
import type { Schema } from './database.ts';
import type { RecordFilter, RecordPosition, StoredRecord } from './register.ts';
import { toRecord } from './register-rows.ts';

export async function readRecord(database: Kysely<Schema>, tenantId: string): Promise<StoredRecord | undefined> {
  const row = await database.selectFrom('onboardings').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst();
  return row && toRecord(row);
}

export async function listRecords(
  database: Kysely<Schema>,
  { stage, outcome, exit, finding, needsAttention, waitingSinceBefore, text }: RecordFilter,
  { limit, after }: { limit: number; after?: RecordPosition | undefined },
): Promise<StoredRecord[]> {
  let query = database.selectFrom('onboardings').select('tenant_id');
  if (stage !== undefined) query = query.where('stage', '=', stage);
  if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  if (exit !== undefined) query = query.where('exit', '=', exit);
  if (needsAttention !== undefined) query = query.where('needs_attention', '=', needsAttention ? 1 : 0);
  if (waitingSinceBefore !== undefined) {
    query = query.where('outcome', '=', 'running').where('stage_since', '<', waitingSinceBefore);
  }
  if (finding !== undefined) {
    const having = database.selectFrom('onboarding_findings').select('tenant_id').where('code', '=', finding);
    query = query.where('tenant_id', 'in', having);
  }
  if (text !== undefined) {
    const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    query = query.where((eb) =>
      eb.or([
        sql<boolean>`lower(tenant_id) like ${pattern} escape '\\'`,
        sql<boolean>`domain like ${pattern} escape '\\'`,
      ]),
    );
  }
  if (after !== undefined) {
    query = query.where((eb) =>
      eb.or([
        eb('started_at', '<', after.startedAt),
        eb.and([eb('started_at', '=', after.startedAt), eb('tenant_id', '<', after.tenantId)]),
      ]),
    );
  }
  const page = query.orderBy('started_at', 'desc').orderBy('tenant_id', 'desc').limit(limit);
  // PostgreSQL searches the index alone only for a query that returns nothing but columns of the index.
  const rows =
    text === undefined
      ? await page.clearSelect().selectAll().execute()
      : await database
          .selectFrom('onboardings')
          .selectAll()
          .where('tenant_id', 'in', page)
          .orderBy('started_at', 'desc')
          .orderBy('tenant_id', 'desc')
          .execute();
  return rows.map(toRecord);
}

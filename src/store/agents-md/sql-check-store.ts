import type { PreviousCheck } from '../../agents-md/check-result.ts';
import type { Kysely } from 'kysely';
import { inTransaction } from '../../lib/sql/transactions.ts';
import type { Database, Schema } from '../database.ts';
import { recordResult } from './record-result.ts';
import type { CheckStore, StoredCheck } from './check-store.ts';

/** One row per producer, the check as JSON. */
export function createSqlCheckStore(database: Database): CheckStore {
  async function get(producerId: string, within: Kysely<Schema> = database): Promise<StoredCheck | undefined> {
    const row = await within
      .selectFrom('agents_md_checks')
      .select(['content', 'version'])
      .where('producer_id', '=', producerId)
      .executeTakeFirst();
    return row && { check: JSON.parse(row.content) as PreviousCheck, version: row.version };
  }

  return {
    get: (producerId) => get(producerId),
    replace: ({ check, version }, basedOn) =>
      inTransaction(database, async (transaction) => {
        const { producerId } = check.result.subject;
        const row = { content: JSON.stringify(check), version };
        // One statement, so that of two concurrent writers only one succeeds.
        const written = await transaction
          .insertInto('agents_md_checks')
          .values({ producer_id: producerId, ...row })
          .onConflict((conflict) =>
            conflict
              .column('producer_id')
              .doUpdateSet(row)
              .where('agents_md_checks.version', 'in', [version, ...(basedOn === null ? [] : [basedOn])]),
          )
          .executeTakeFirst();
        if ((written.numInsertedOrUpdatedRows ?? 0n) === 0n) return (await get(producerId, transaction)) ?? null;
        await recordResult(transaction, check.result);
        return null;
      }),
  };
}

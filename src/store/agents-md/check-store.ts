import type { PreviousCheck } from '../../agents-md/check-result.ts';
import type { Kysely } from 'kysely';
import { inTransaction } from '../../lib/sql/transactions.ts';
import type { Database, Schema } from '../database.ts';
import { recordResult } from './record-result.ts';

export interface StoredCheck {
  readonly check: PreviousCheck;
  /** The Run Id of the check that wrote it. */
  readonly version: string;
}

export type CheckStore = ReturnType<typeof createSqlCheckStore>;

/**
 * The last check of each producer. Temporal forgets a run after the Namespace's retention, which may be shorter than the period
 * of a Schedule, and a requested check belongs to no Schedule.
 */
export function createSqlCheckStore(database: Database) {
  async function get(producerId: string, within: Kysely<Schema> = database): Promise<StoredCheck | undefined> {
    const row = await within
      .selectFrom('agents_md_checks')
      .select(['content', 'version'])
      .where('producer_id', '=', producerId)
      .executeTakeFirst();
    return row && { check: JSON.parse(row.content) as PreviousCheck, version: row.version };
  }

  return {
    get: (producerId: string) => get(producerId),
    /**
     * Replaces the row that the check was judged by. Returns null if the row now holds this version; otherwise the row that another
     * check has written meanwhile, which stays.
     *
     * @param basedOn the version it was judged by; null: there was none
     */
    replace: ({ check, version }: StoredCheck, basedOn: string | null): Promise<StoredCheck | null> =>
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

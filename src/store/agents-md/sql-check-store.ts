import type { PreviousCheck } from '../../agents-md/check-result.ts';
import type { Database } from '../database.ts';
import type { CheckStore, StoredCheck } from './check-store.ts';

/** One row per producer, the check as JSON. */
export function createSqlCheckStore(database: Database): CheckStore {
  async function get(producerId: string): Promise<StoredCheck | undefined> {
    const row = await database
      .selectFrom('agents_md_checks')
      .select(['content', 'version'])
      .where('producer_id', '=', producerId)
      .executeTakeFirst();
    return row && { check: JSON.parse(row.content) as PreviousCheck, version: row.version };
  }

  return {
    get,
    async replace({ check, version }, basedOn) {
      const { producerId } = check.result.subject;
      const row = { content: JSON.stringify(check), version };
      // One statement, so that of two concurrent writers only one succeeds.
      const written = await database
        .insertInto('agents_md_checks')
        .values({ producer_id: producerId, ...row })
        .onConflict((conflict) =>
          conflict
            .column('producer_id')
            .doUpdateSet(row)
            .where('agents_md_checks.version', 'in', [version, ...(basedOn === null ? [] : [basedOn])]),
        )
        .executeTakeFirst();
      return (written.numInsertedOrUpdatedRows ?? 0n) > 0n ? null : ((await get(producerId)) ?? null);
    },
  };
}

import type { PreviousCheck } from '../agents-md/check-result.ts';
import type { Database } from '../database.ts';
import type { CheckStore } from './check-store.ts';

/** One row per producer, the check as JSON. */
export function createSqlCheckStore(database: Database): CheckStore {
  return {
    async get(producerId) {
      const row = await database
        .selectFrom('agents_md_checks')
        .select('content')
        .where('producer_id', '=', producerId)
        .executeTakeFirst();
      return row && (JSON.parse(row.content) as PreviousCheck);
    },
    async put(check) {
      const { checkedAt, subject } = check.result;
      const row = { checked_at: checkedAt, content: JSON.stringify(check) };
      await database
        .insertInto('agents_md_checks')
        .values({ producer_id: subject.producerId, ...row })
        .onConflict((conflict) =>
          conflict.column('producer_id').doUpdateSet(row).where('agents_md_checks.checked_at', '<=', checkedAt),
        )
        .execute();
    },
  };
}

import type { SharedPauses } from '../../agents-md/shared-pauses.ts';
import type { Database } from '../database.ts';

/** One row per origin of a code host that has refused requests. */
export const createSqlSharedPauses = (database: Database): SharedPauses => ({
  async get(origin) {
    const row = await database
      .selectFrom('code_host_pauses')
      .select(['paused_until', 'because'])
      .where('origin', '=', origin)
      .executeTakeFirst();
    return row && { untilMs: Date.parse(row.paused_until), because: row.because };
  },

  async put(origin, { untilMs, because }) {
    const row = { paused_until: new Date(untilMs).toISOString(), because };
    await database
      .insertInto('code_host_pauses')
      .values({ origin, ...row })
      .onConflict((conflict) =>
        conflict.column('origin').doUpdateSet(row).where('code_host_pauses.paused_until', '<', row.paused_until),
      )
      .execute();
  },
});

import type { ProviderName } from '../../onboarding/provider-name.ts';
import type { Database } from '../database.ts';

/** An operator's account that its provider refuses to serve, for any tenant. Times are RFC 3339 UTC. */
interface AccountBlock {
  readonly provider: ProviderName;
  /** The provider's code, `daily_quota_exceeded`. */
  readonly code: string;
  readonly message: string;
  /** The time of the first refusal since the account last worked. */
  readonly since: string;
  readonly lastAt: string;
  /** Without another refusal by then, the account is served again. */
  readonly until: string;
}

export type AccountBlocks = ReturnType<typeof createSqlAccountBlocks>;

export const createSqlAccountBlocks = (database: Database) => ({
  /** @returns whether it is news: of all Workers, the first refusal */
  async note({ provider, code, message, lastAt, until }: Omit<AccountBlock, 'since'>): Promise<boolean> {
    const latest = { code, message, last_at: lastAt, until };
    const row = { ...latest, since: lastAt };
    const { numInsertedOrUpdatedRows: inserted } = await database
      .insertInto('account_blocks')
      .values({ provider, ...row })
      .onConflict((conflict) => conflict.column('provider').doUpdateSet(row).where('account_blocks.until', '<', lastAt))
      .executeTakeFirstOrThrow();
    if (inserted === 1n) return true;
    await database.updateTable('account_blocks').set(latest).where('provider', '=', provider).execute();
    return false;
  },

  /** Those that last at this time. */
  async list(at: string): Promise<readonly AccountBlock[]> {
    const rows = await database.selectFrom('account_blocks').selectAll().where('until', '>=', at).execute();
    return rows.map(({ last_at: lastAt, ...row }) => ({ ...row, lastAt }));
  },
});

import { inTransaction } from '../../lib/sql/transactions.ts';
import type { Database } from '../database.ts';
import { lockTenant } from './lock-tenant.ts';
import type { StoredRecord } from './register.ts';
import { readRecord } from './register-rows.ts';
import { isOpen, openSince } from './setup-link-expiry.ts';
import { createSetupTokens, setupKeyId } from './setup-tokens.ts';

export type SetupLinks = ReturnType<typeof createSqlSetupLinks>;

/**
 * The links to tenants' setup pages. A link belongs to one onboarding: it opens while that one runs, and for OPEN_AFTER_END,
 * unless it is revoked or another onboarding of the tenant begins.
 *
 * @param secretKeys see createSetupTokens
 */
export function createSqlSetupLinks(database: Database, secretKeys: readonly Buffer[], now: () => number = Date.now) {
  const tokens = createSetupTokens(secretKeys);

  return {
    /** Only the receiver of the link has its token. Undefined if the tenant has no onboarding. */
    create: (tenantId: string): Promise<{ readonly token: string; readonly record: StoredRecord } | undefined> =>
      inTransaction(database, async (transaction) => {
        await lockTenant(transaction, tenantId);
        const record = await readRecord(transaction, tenantId);
        if (record === undefined) return undefined;
        const { token, idHash, keyId } = tokens.issue();
        await transaction
          .insertInto('setup_links')
          .values({
            id_hash: idHash,
            tenant_id: tenantId,
            attempt_id: record.attemptId,
            key_id: keyId,
            created_at: new Date(now()).toISOString(),
            revoked_at: null,
          })
          .execute();
        return { token, record };
      }),

    /** Revokes every link of the tenant. @returns how many links it revoked */
    async revoke(tenantId: string): Promise<number> {
      const { numUpdatedRows } = await database
        .updateTable('setup_links')
        .set({ revoked_at: new Date(now()).toISOString() })
        .where('tenant_id', '=', tenantId)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },

    /** The onboarding of the link. Undefined for a token that opens nothing, whatever the reason: forged, unknown, expired or revoked. */
    async open(token: string): Promise<StoredRecord | undefined> {
      const { idHash, isGenuine } = tokens.read(token);
      // For every token, so that the time does not say why it opens nothing.
      const link = await linksWithRecord(database)
        .select(['setup_links.tenant_id', 'setup_links.attempt_id', 'onboardings.ended_at'])
        .where('setup_links.id_hash', '=', idHash)
        .executeTakeFirst();
      if (link === undefined || !isGenuine || !isOpen(link.ended_at, now())) return undefined;
      const record = await readRecord(database, link.tenant_id);
      return record?.attemptId === link.attempt_id ? record : undefined;
    },
  };
}

/** @returns for each key how many links that it signed still open a page */
export async function openLinksByKey(database: Database, secretKeys: readonly Buffer[]): Promise<readonly number[]> {
  const rows = await linksWithRecord(database)
    .select(['setup_links.key_id', (row) => row.fn.countAll().as('links')])
    .where((row) =>
      row.or([row('onboardings.ended_at', 'is', null), row('onboardings.ended_at', '>', openSince(Date.now()))]),
    )
    .groupBy('setup_links.key_id')
    .execute();
  const counts = new Map(rows.map(({ key_id, links }) => [key_id, Number(links)]));
  return secretKeys.map((key) => counts.get(setupKeyId(key)) ?? 0);
}

const linksWithRecord = (database: Database) =>
  database
    .selectFrom('setup_links')
    .innerJoin('onboardings', (join) =>
      join
        .onRef('onboardings.tenant_id', '=', 'setup_links.tenant_id')
        .onRef('onboardings.attempt_id', '=', 'setup_links.attempt_id'),
    )
    .where('setup_links.revoked_at', 'is', null);

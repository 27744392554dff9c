import type { Selectable } from 'kysely';
import { inTransaction } from '../../lib/sql/transactions.ts';
import type { Database, Schema } from '../database.ts';
import { createSqlProviderEvents } from './sql-provider-events.ts';
import type { Intent, IntentKey, ProviderIntents } from './provider-intents.ts';

const textOf = ({ provider, kind, subject }: IntentKey): string => `${provider}/${kind}/${subject}`;

/** Between the intent of an email and when a person released it. */
const RELEASED = '/released/';

export function createSqlProviderIntents(database: Database): ProviderIntents {
  const select = (of: Database, key: IntentKey) =>
    of.selectFrom('provider_intents').selectAll().where('intent', '=', textOf(key));
  return {
    async get(key) {
      const row = await select(database, key).executeTakeFirst();
      return row && toIntent(row);
    },

    note: (key, { tenantId, attemptId, notedAt, intentId, replaces = false }) =>
      inTransaction(database, async (transaction) => {
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto('provider_intents')
          .values({
            intent: textOf(key),
            tenant_id: tenantId,
            attempt_id: attemptId,
            resource_id: null,
            noted_at: notedAt,
            intent_id: intentId ?? null,
          })
          .onConflict((conflict) => conflict.column('intent').doNothing())
          .executeTakeFirstOrThrow();
        const isNew = numInsertedOrUpdatedRows === 1n;
        if (replaces && !isNew)
          await transaction
            .updateTable('provider_intents')
            .set({ attempt_id: attemptId, resource_id: null, noted_at: notedAt })
            .where('intent', '=', textOf(key))
            .where('tenant_id', '=', tenantId)
            .execute();
        const row = await select(transaction, key).executeTakeFirstOrThrow();
        return { ...toIntent(row), isNew };
      }),

    async releasesOf(email, tenantId) {
      const ofTenant = await database
        .selectFrom('provider_intents')
        .select('intent')
        .where('tenant_id', '=', tenantId)
        .execute();
      return ofTenant.filter(({ intent }) => intent.startsWith(`${textOf(email)}${RELEASED}`)).length;
    },

    release: ({ provider, tenantId, notedAt }, { by, reason, at }) =>
      inTransaction(database, async (transaction) => {
        const notes = await transaction
          .selectFrom('provider_intents')
          .select(['intent', 'intent_id'])
          .where('tenant_id', '=', tenantId)
          .where('noted_at', '=', notedAt)
          .where('resource_id', 'is', null)
          .forUpdate()
          .execute();
        const standing = notes.find(
          ({ intent }) => intent.startsWith(`${provider}/email/`) && !intent.includes(RELEASED),
        );
        if (standing === undefined) return 'none';
        const { intent, intent_id: intentId } = standing;
        const reported =
          intentId === null ? undefined : await createSqlProviderEvents(transaction).emailIdOf(provider, intentId);
        if (reported !== undefined) return 'reported';
        const { numUpdatedRows } = await transaction
          .updateTable('provider_intents')
          .set({ intent: `${intent}${RELEASED}${at}`, released_by: by, release_reason: reason })
          .where('intent', '=', intent)
          .where('resource_id', 'is', null)
          .executeTakeFirst();
        return numUpdatedRows === 1n ? 'released' : 'none';
      }),

    async releases(emails) {
      if (emails.length === 0) return new Map();
      const tenantIds = emails.map(({ tenantId }) => tenantId);
      const rows = await database
        .selectFrom('provider_intents')
        .select(['intent', 'tenant_id', 'noted_at', 'released_by', 'release_reason'])
        .where('tenant_id', 'in', tenantIds)
        .execute();
      return new Map(
        rows.flatMap(({ intent, tenant_id: tenantId, noted_at: notedAt, released_by: by, release_reason: reason }) => {
          const [, at] = intent.split(RELEASED);
          const isAsked = emails.some((email) => email.tenantId === tenantId && email.notedAt === notedAt);
          return at === undefined || by === null || reason === null || !isAsked
            ? []
            : [[tenantId, { by, reason, at }] as const];
        }),
      );
    },

    async setMade(key, { resourceId, attemptId }) {
      await database
        .updateTable('provider_intents')
        .set({ resource_id: resourceId, attempt_id: attemptId })
        .where('intent', '=', textOf(key))
        .execute();
    },

    async forget(key) {
      await database.deleteFrom('provider_intents').where('intent', '=', textOf(key)).execute();
    },
  };
}

const toIntent = (row: Selectable<Schema['provider_intents']>): Intent => ({
  tenantId: row.tenant_id,
  attemptId: row.attempt_id,
  resourceId: row.resource_id,
  notedAt: row.noted_at,
});

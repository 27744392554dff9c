import type { Selectable } from 'kysely';
import { inTransaction } from '../../lib/sql/transactions.ts';
import type { ProviderName } from '../../onboarding/provider-name.ts';
import type { Database, Schema } from '../database.ts';
import { createSqlProviderEvents } from './provider-events.ts';

/** What may be created only once, at a provider that would create it again for a repeated request. */
export interface IntentKey {
  readonly provider: ProviderName;
  readonly kind: 'account' | 'webhook' | 'domain' | 'sender' | 'email';
  /** The mark of the account or webhook, the name of the domain, both for the sender, or the Idempotency-Key of the email. */
  readonly subject: string;
}

/** A note, written before the request: the request may have been sent since. */
export interface Intent {
  readonly tenantId: string;
  readonly attemptId: string;
  /** Null until an answer has named what was created. */
  readonly resourceId: string | null;
  /** By Temporal's clock, RFC 3339 UTC. */
  readonly notedAt: string;
}

/** That a person let an email be sent once more. */
export interface Release {
  readonly by: string;
  /** The observation that the person made at the provider. */
  readonly reason: string;
  /** RFC 3339 UTC. */
  readonly at: string;
}

export interface NewIntent extends Pick<Intent, 'tenantId' | 'attemptId' | 'notedAt'> {
  /** The tag that an email carries, so that its events name it before its id is known. */
  readonly intentId?: string;
  /** Whether an earlier note of the tenant gives way, because what it names is gone or will be. */
  readonly replaces?: boolean;
}

const textOf = ({ provider, kind, subject }: IntentKey): string => `${provider}/${kind}/${subject}`;

/** Between the intent of an email and when a person released it. */
const RELEASED = '/released/';

export type ProviderIntents = ReturnType<typeof createSqlProviderIntents>;

/** Each method is one short transaction. */
export function createSqlProviderIntents(database: Database) {
  const select = (of: Database, key: IntentKey) =>
    of.selectFrom('provider_intents').selectAll().where('intent', '=', textOf(key));
  return {
    async get(key: IntentKey): Promise<Intent | undefined> {
      const row = await select(database, key).executeTakeFirst();
      return row && toIntent(row);
    },

    /** Returns the note that stands: an earlier one, which may be another tenant's, or this one, which `isNew`. */
    note: (
      key: IntentKey,
      { tenantId, attemptId, notedAt, intentId, replaces = false }: NewIntent,
    ): Promise<Intent & { readonly isNew: boolean }> =>
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

    /** How often a person has released this email. */
    async releasesOf(email: IntentKey, tenantId: string): Promise<number> {
      const ofTenant = await database
        .selectFrom('provider_intents')
        .select('intent')
        .where('tenant_id', '=', tenantId)
        .execute();
      return ofTenant.filter(({ intent }) => intent.startsWith(`${textOf(email)}${RELEASED}`)).length;
    },

    /**
     * Sets the note of an email aside, so that the next attempt notes and sends it again. Its events still find the tenant.
     * @param email with the `notedAt` of the note
     * @returns `reported`: an event names the email, so it was accepted; `none`: no such note stands
     */
    release: (
      { provider, tenantId, notedAt }: Pick<Intent, 'tenantId' | 'notedAt'> & Pick<IntentKey, 'provider'>,
      { by, reason, at }: Release,
    ): Promise<'released' | 'reported' | 'none'> =>
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

    /** The releases of these emails, by tenant. */
    async releases(emails: readonly Pick<Intent, 'tenantId' | 'notedAt'>[]): Promise<ReadonlyMap<string, Release>> {
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

    async setMade(
      key: IntentKey,
      { resourceId, attemptId }: { readonly resourceId: string; readonly attemptId: string },
    ): Promise<void> {
      await database
        .updateTable('provider_intents')
        .set({ resource_id: resourceId, attempt_id: attemptId })
        .where('intent', '=', textOf(key))
        .execute();
    },

    /** After a deletion, or when the provider has shown that it created nothing. */
    async forget(key: IntentKey): Promise<void> {
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

// What an account still has, a page at a time. Ids sort by their making, so a page begins where the one before ended,
// whatever was made or deleted in between.
import type { Store } from './open-store.ts';
import { summaryColumns, type EmailSummary } from './emails.ts';
import type {
  ApiKeyTable,
  DeliveryAttemptTable,
  DomainTable,
  EmailTable,
  SenderTable,
  WebhookTable,
} from './schema.ts';

export interface PageRequest {
  readonly accountId: string;
  /** The last id of the page before; empty for the first page. */
  readonly afterId: string;
  /** One row more is read when there is one: it says that there is a next page. */
  readonly limit: number;
}

export const readApiKeys = (
  store: Store,
  { accountId, afterId, limit }: PageRequest,
): Promise<readonly ApiKeyTable[]> =>
  store
    .selectFrom('api_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit + 1)
    .execute();

/** @param name lower case; undefined for all */
export const readDomains = (
  store: Store,
  { accountId, afterId, limit }: PageRequest,
  name: string | undefined,
): Promise<readonly DomainTable[]> =>
  store
    .selectFrom('domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where('id', '>', afterId)
    .$if(name !== undefined, (query) => query.where('name', '=', name ?? ''))
    .orderBy('id')
    .limit(limit + 1)
    .execute();

export const readSenders = (
  store: Store,
  { accountId, afterId, limit }: PageRequest,
): Promise<readonly SenderTable[]> =>
  store
    .selectFrom('senders')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit + 1)
    .execute();

export const readWebhooks = (
  store: Store,
  { accountId, afterId, limit }: PageRequest,
): Promise<readonly WebhookTable[]> =>
  store
    .selectFrom('webhooks')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit + 1)
    .execute();

export interface EmailWithAttempts {
  readonly id: string;
  readonly email: EmailSummary;
  readonly attempts: readonly DeliveryAttemptTable[];
}

/** From one snapshot, so that no status contradicts its attempts. @param status undefined for all */
export function readEmails(
  store: Store,
  { accountId, afterId, limit }: PageRequest,
  status: EmailTable['status'] | undefined,
): Promise<readonly EmailWithAttempts[]> {
  return store.transaction().execute(async (transaction) => {
    const emails = await transaction
      .selectFrom('emails')
      .select(summaryColumns)
      .where('account_id', '=', accountId)
      .where('id', '>', afterId)
      .$if(status !== undefined, (query) => query.where('status', '=', status ?? 'queued'))
      .orderBy('id')
      .limit(limit + 1)
      .execute();
    const attempts = await transaction
      .selectFrom('delivery_attempts')
      .selectAll()
      .where(
        'email_id',
        'in',
        emails.map(({ id }) => id),
      )
      .execute();
    return emails.map((email) => ({
      id: email.id,
      email,
      attempts: attempts.filter((attempt) => attempt.email_id === email.id),
    }));
  });
}

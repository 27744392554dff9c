import type { Expiring } from '../../lib/retention/remove-expired.ts';
import { createRetentionActivity } from '../../lib/retention/retention-activity.ts';
import type { EmailServiceConfig } from '../config.ts';
import {
  deleteApiKeys,
  deleteDomains,
  deleteEmails,
  deleteEvents,
  deleteExpiredApiKeys,
  deleteIdempotencyKeys,
  deleteMtaStsPolicies,
  deleteSenders,
  deleteWebhooks,
  eraseEmailContent,
  eraseOldAttachments,
} from '../store/expired-rows.ts';
import type { Store } from '../store/open-store.ts';

export interface ApplyRetentionDependencies {
  readonly store: Store;
  readonly retention: EmailServiceConfig['retention'];
  readonly now: () => Date;
}

export function createRemoveExpired({ store, retention, now }: ApplyRetentionDependencies) {
  const kinds: readonly Expiring[] = [
    {
      kind: 'attachments',
      keepMs: firstOf(retention.emailContentMs, retention.emailsMs),
      removePage: (page) => eraseOldAttachments(store, page),
    },
    {
      kind: 'emailContents',
      keepMs: retention.emailContentMs,
      removePage: (page) => eraseEmailContent(store, page, now()),
    },
    { kind: 'emails', keepMs: retention.emailsMs, removePage: (page) => deleteEmails(store, page) },
    { kind: 'events', keepMs: retention.eventsMs, removePage: (page) => deleteEvents(store, page) },
    { kind: 'senders', keepMs: retention.deletedMs, removePage: (page) => deleteSenders(store, page) },
    { kind: 'domains', keepMs: retention.deletedMs, removePage: (page) => deleteDomains(store, page) },
    { kind: 'webhooks', keepMs: retention.deletedMs, removePage: (page) => deleteWebhooks(store, page) },
    { kind: 'apiKeys', keepMs: retention.deletedMs, removePage: (page) => deleteApiKeys(store, page) },
    { kind: 'expiredApiKeys', keepMs: retention.deletedMs, removePage: (page) => deleteExpiredApiKeys(store, page) },
    {
      kind: 'idempotencyKeys',
      keepMs: retention.idempotencyKeysMs,
      removePage: (page) => deleteIdempotencyKeys(store, page),
    },
    { kind: 'mtaStsPolicies', keepMs: 0, removePage: (page) => deleteMtaStsPolicies(store, page) },
  ];
  return createRetentionActivity(store, kinds, now);
}

/** Undefined: for ever. */
function firstOf(...times: readonly (number | undefined)[]): number | undefined {
  const least = Math.min(...times.map((time) => time ?? Infinity));
  return least === Infinity ? undefined : least;
}

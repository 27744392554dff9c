import type { Expiring } from '../../lib/retention/remove-expired.ts';
import { createRetentionActivity } from '../../lib/retention/retention-activity.ts';
import type { EmailServiceConfig } from '../config.ts';
import { removals } from '../store/expired-rows.ts';
import type { Store } from '../store/open-store.ts';

export interface ApplyRetentionDependencies {
  readonly store: Store;
  readonly retention: EmailServiceConfig['retention'];
  readonly now: () => Date;
}

type Kind = keyof typeof removals;

export function createRemoveExpired({ store, retention, now }: ApplyRetentionDependencies) {
  const { emailContentMs, emailsMs, eventsMs, deletedMs, idempotencyKeysMs } = retention;
  const keepMs: Readonly<Record<Kind, number | undefined>> = {
    attachments: firstOf(emailContentMs, emailsMs),
    emailContents: emailContentMs,
    emails: emailsMs,
    events: eventsMs,
    senders: deletedMs,
    domains: deletedMs,
    webhooks: deletedMs,
    apiKeys: deletedMs,
    expiredApiKeys: deletedMs,
    idempotencyKeys: idempotencyKeysMs,
    mtaStsPolicies: 0,
  };
  const kinds = (Object.keys(removals) as Kind[]).map((kind): Expiring => ({
    ...{ kind, keepMs: keepMs[kind] },
    removePage: (page) => removals[kind](store, page, now()),
  }));
  return createRetentionActivity(store, kinds, now);
}

/** Undefined: for ever. */
function firstOf(...times: readonly (number | undefined)[]): number | undefined {
  const least = Math.min(...times.map((time) => time ?? Infinity));
  return least === Infinity ? undefined : least;
}

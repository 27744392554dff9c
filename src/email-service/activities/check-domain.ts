import type { DomainLook } from '../../lib/dns/look-at-records.ts';
import type { ExpectedRecord } from '../../lib/dns/expected-record.ts';
import { describeLook } from '../../lib/dns/diagnosis/describe-look.ts';
import { withJitter } from '../jitter.ts';
import type { OutboxDispatcher } from '../outbox/outbox-dispatcher.ts';
import type { DomainRecord } from '../http/schemas/domain.ts';
import { recordLook, watchedDomain } from '../store/domain-transitions.ts';
import type { Store } from '../store/open-store.ts';
import { nextLookDelayMs } from '../domains/look-schedule.ts';
import { recordsAfterLook } from '../domains/records-after-look.ts';
import { elapsedMs, notYet } from './not-yet.ts';
import { unknownId } from './unknown-id.ts';

export interface CheckDomainDependencies {
  readonly store: Store;
  readonly lookAtRecords: (domain: string, expected: readonly ExpectedRecord[]) => Promise<DomainLook>;
  readonly dispatcher: Pick<OutboxDispatcher, 'dispatchSoon'>;
  readonly now: () => Date;
}

/** One look at a domain's records. Fails as `DomainNotVerified` until it finds all that are required. */
export const createCheckDomain =
  ({ store, lookAtRecords, dispatcher, now }: CheckDomainDependencies) =>
  async ({ domainId }: { domainId: string }): Promise<{ outcome: 'verified' | 'deleted' }> => {
    const domain = await watchedDomain(store, domainId);
    if (domain === undefined) throw unknownId('domain', domainId);
    if (domain.deleted_at !== null) return { outcome: 'deleted' };
    const records = JSON.parse(domain.records) as DomainRecord[];
    const look = await lookAtRecords(domain.name, records);
    const lookedAt = now();
    const status = await recordLook(store, {
      domainId,
      records: recordsAfterLook(records, look, lookedAt),
      verified: look.verified,
      now: lookedAt,
    });
    if (status === undefined) return { outcome: 'deleted' };
    if (status === 'verified') {
      dispatcher.dispatchSoon();
      return { outcome: 'verified' };
    }
    const delayMs = withJitter(nextLookDelayMs(elapsedMs()), Math.random());
    throw notYet('DomainNotVerified', describeLook(look), delayMs);
  };

import type { DomainCheck } from '../../lib/dns/domain-check.ts';
import type { ExpectedRecord } from '../../lib/dns/expected-record.ts';
import { describeCheck } from '../../lib/dns/findings/describe-check.ts';
import { withJitter } from '../../lib/timing/with-jitter.ts';
import type { DomainRecord } from '../resources/domain.ts';
import { recordCheck, domainToCheck } from '../store/domains.ts';
import type { Store } from '../store/open-store.ts';
import { forgetStarts, type OutboxStarter, verifyDomainStart } from '../store/outbox.ts';
import { nextCheckDelayMs } from '../domains/check-delays.ts';
import { afterCheck, afterOvertakenCheck, isReplaced } from '../domains/domain-life.ts';
import { notYet } from '../../lib/temporal/not-yet.ts';
import type { Attempt } from './attempt-context.ts';
import { unknownId } from './unknown-id.ts';

export interface CheckDomainDependencies {
  readonly store: Store;
  readonly checkRecords: (domain: string, expected: readonly ExpectedRecord[]) => Promise<DomainCheck>;
  readonly beginner: OutboxStarter;
  readonly now: () => Date;
}

/** One check of a domain's records. Throws `DomainNotVerified` until it finds all required ones, whatever the domain was before. */
export const createCheckDomain =
  ({
    store,
    checkRecords,
    beginner,
    now,
  }: CheckDomainDependencies): Attempt<{ readonly domainId: string }, { outcome: 'verified' | 'deleted' }> =>
  async ({ domainId }, { waitedMs }) => {
    const domain = await domainToCheck(store, domainId);
    if (domain === undefined) throw unknownId('domain', domainId);
    const deleted = async () => {
      await forgetStarts(store, [verifyDomainStart(domainId).workflowId]);
      return { outcome: 'deleted' } as const;
    };
    if (domain.deleted_at !== null) return deleted();
    const records = JSON.parse(domain.records) as DomainRecord[];
    const startedAt = now();
    const expected = records.map((record) => ({
      ...record,
      checkedSecondsAgo: secondsSince(record, startedAt),
      seenAt: record.findings.map(({ name }) => name),
      foundSecondsAgo: foundSecondsAgo(record, startedAt),
      isReplaced: isReplaced(record, startedAt),
    }));
    const check = await checkRecords(domain.name, expected);
    const checkedAt = now();
    const retryInMs = withJitter(nextCheckDelayMs(waitedMs), Math.random());
    const recorded = await recordCheck(store, {
      domainId,
      judge: (before) =>
        before.last_checked_at === domain.last_checked_at
          ? afterCheck(before, check, checkedAt)
          : afterOvertakenCheck(before),
      retryInMs,
      now: checkedAt,
      claimed: beginner.makesFirstAttempts,
    });
    if (recorded === undefined) return deleted();
    recorded.posts.forEach(beginner.begin);
    if (recorded.isSettled) return { outcome: 'verified' };
    throw notYet('DomainNotVerified', describeCheck(check), retryInMs);
  };

/** A check is over by then. */
const CHECK_SECONDS_MAX = 30;

const resolverFindings: ReadonlySet<string> = new Set(['resolver_disagrees', 'not_resolved']);

/** Since the last check had seen the record on the name servers; null if it had not. */
function foundSecondsAgo(record: DomainRecord, now: Date): number | null {
  const { status, findings } = record;
  const secondsAgo = secondsSince(record, now);
  if (secondsAgo === null) return null;
  if (status === 'found') return secondsAgo;
  // That check saw the record before it asked the resolver.
  return findings.some(({ code }) => resolverFindings.has(code)) ? secondsAgo + CHECK_SECONDS_MAX : null;
}

const secondsSince = ({ checked_at: checkedAt }: DomainRecord, now: Date): number | null =>
  checkedAt === null ? null : (now.getTime() - Date.parse(checkedAt)) / 1000;

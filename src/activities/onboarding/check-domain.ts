import { activityInfo, cancellationSignal } from '@temporalio/activity';
import type { AccountProvider, ProviderDomain } from '../../email-provider/email-provider.ts';
import type { OperatorAccount } from '../../email-provider/operator-account.ts';
import { stepIdempotencyKey } from '../../onboarding/onboarding-ids.ts';
import { attentionOf } from '../../onboarding/attention.ts';
import type { DnsRecord } from '../../onboarding/dns-record.ts';
import type { Onboarding } from '../../onboarding/onboarding.ts';
import type { DomainReport } from '../../onboarding/domain-report.ts';
import { areConclusive, arePublished } from '../../onboarding/required-records.ts';
import { nextDecidingCheckMs, nextDomainCheckMs } from '../../onboarding/time-limits.ts';
import { accountAt } from './operator-accounts.ts';
import { tenantAccount } from './tenant-account.ts';
import { checkZone, type ZoneCheck } from './check-zone.ts';
import { toDnsRecords } from './register-domain.ts';
import type { CancelRequested, StepInput } from './step-input.ts';
import type { ActivityDependencies } from '../activity-dependencies.ts';
import { settlesWithin } from '../../lib/timing/settles-within.ts';
import { notYet } from '../../lib/temporal/not-yet.ts';
import { optionalCall } from './optional-call.ts';
import { pollDelayMs, type PollInput } from './poll-delay.ts';
import { UnansweredCheck } from './record-failed-attempts.ts';
import { runNow } from './with-recording.ts';

/** As long as the client waits for an answer. */
const REQUEST_TIMEOUT_MS = 10_000;
/** With the answer before it, within the 20 seconds of a poll's attempt. */
const ZONE_TIMEOUT_MS = 8_000;

/** Of a Local Activity. Its results stay in the history, whose size is limited; a poll leaves none there. */
const REPORT_BYTES_MAX = 16_000;

export interface DomainCheckInput extends StepInput, CancelRequested {
  readonly domainId: string;
  /** The start of a check after a wake-up, by Temporal's clock, RFC 3339 UTC: the time in that Local Activity is its Worker's. */
  readonly askedAt?: string;
  /** When the verification window closes, RFC 3339 UTC. Absent for a caller's check, which has none. */
  readonly deadline?: string;
  /**
   * `look`: only what the zone's name servers show, and an answer only when every required record is published, or the time has come to ask the
   * provider; for one that does not say what is wrong. `status`: only whether the provider reports the domain as verified; null if not. `records`: also what the provider says of the
   * records. `zone`: makes the provider check at once, and asks the zone's name servers.
   */
  readonly depth: 'look' | 'status' | 'records' | 'zone';
  /** @default none: whatever is found is the answer */
  readonly patience?: Patience;
}

/** The answers that a check waits for, beside a verified domain: until then its attempts fail, and the server repeats it. */
export interface Patience extends PollInput {
  /** As last reported: another cause is an answer, because a failed attempt tells the Workflow nothing. */
  readonly knownCause?: string;
  /**
   * The time, milliseconds since the epoch, after which whatever the final check finds is an answer: the tenant must fix name servers that
   * are silent for a day. Until then, a zone that is seen to be wrong is one.
   */
  readonly settleUntil?: number;
  /** The time to ask the provider whatever a look shows, milliseconds since the epoch. */
  readonly askAt?: number;
}

export function checkDomainActivities(
  dependencies: Pick<ActivityDependencies, 'provider' | 'operatorAccounts' | 'secrets' | 'register' | 'checkRecords'>,
) {
  const { register, operatorAccounts } = dependencies;

  /** The provider's records, with the zones and name servers of earlier checks where the provider names none. */
  async function recordsOf(
    { tenantId, provider }: DomainCheckInput,
    { id, records }: ProviderDomain,
  ): Promise<DnsRecord[]> {
    const namesPlaces = records.every(({ host, nameServers }) => host !== undefined && nameServers !== undefined);
    const last = namesPlaces ? undefined : (await register.get(tenantId))?.onboarding;
    const known = last?.domainId === id ? last.records : [];
    // What our own look found stays: such a provider says nothing of it.
    if (provider !== undefined && known.length > 0) return known;
    return toDnsRecords(records, known);
  }

  /** The mistakes in the records: as the provider says, or as the zone shows if the provider says nothing or shall not decide. */
  async function zoneOf(
    { tenantId, depth }: DomainCheckInput,
    { name, records }: ProviderDomain,
    reported: DnsRecord[],
  ): Promise<ZoneCheck> {
    const asReported = { records: reported, published: arePublished(reported), conclusive: areConclusive(reported) };
    if (depth === 'records' && records.every(({ status }) => status !== undefined)) return asReported;
    // As registered, if the provider's answer has no name.
    const domain = name ?? (await register.get(tenantId))?.onboarding.domain ?? '';
    const checking = checkZone(domain, reported, dependencies);
    return depth === 'zone' || (await settlesWithin(ZONE_TIMEOUT_MS, checking)) ? checking : asReported;
  }

  /** The report of this run from a Workflow Task that was lost after it had entered the next step. */
  async function verifiedBefore(check: DomainCheckInput): Promise<DomainReport | null> {
    const record = await register.get(check.tenantId);
    if (record?.runId !== runNow(check).runId) return null;
    return record.stagesEntered > (check.stagesEntered ?? Infinity) ? verifiedWith(record.onboarding.records) : null;
  }

  /** It only makes the provider check earlier, and is not in the specification. */
  async function requestVerification(account: AccountProvider, check: DomainCheckInput): Promise<void> {
    // Per attempt: a constant key would replay the answer to an earlier request.
    const { activityId, currentAttemptScheduledTimestampMs } = activityInfo();
    const step = `check-${activityId}-${currentAttemptScheduledTimestampMs}`;
    const idempotencyKey = stepIdempotencyKey(check.tenantId, check.attemptId, step);
    await optionalCall(REQUEST_TIMEOUT_MS, (signal) =>
      account.requestVerification(check.domainId, { idempotencyKey, signal }),
    );
  }

  /** Checks the zone for the records that the register has; without a request to the provider. */
  async function look(check: DomainCheckInput, { records: known, domain }: Pick<Onboarding, 'records' | 'domain'>) {
    const { patience } = check;
    const zone = await checkZone(domain, known, dependencies);
    const report = unverifiedWith(zone);
    const isTimeToAsk = activityInfo().currentAttemptScheduledTimestampMs >= (patience?.askAt ?? Infinity);
    if (patience === undefined || zone.published || isTimeToAsk || isAnswer(report, patience)) return report;
    const delayMs = pollDelayMs(patience.waitingSince, nextDomainCheckMs);
    const message = describeDomain('not complete in the DNS', report);
    throw new UnansweredCheck(notYet('DomainNotYetVerified', message, delayMs), report.records);
  }

  /** Asks for the domain's status, and starts the provider's check unless one is under way: a new one would begin again. */
  async function askOperatorAccount(check: DomainCheckInput, account: OperatorAccount): Promise<ProviderDomain> {
    const signal = cancellationSignal();
    const domain = await account.getDomain(check.domainId, { signal });
    if (domain.status === 'verified' || domain.status === 'pending') return domain;
    return (await account.requestVerification?.(check.domainId, { signal })) ?? domain;
  }

  /**
   * Asks the provider whether the domain is verified, which alone decides, and what is wrong with its records. Null without an answer: of
   * depth `status`, or of a Local Activity, which has no time for name servers and leaves another cause to a poll.
   */
  function checkDomain(check: DomainCheckInput & { readonly cancelRequested: boolean }): Promise<DomainReport | null>;
  function checkDomain(check: DomainCheckInput & { readonly depth: 'status' }): Promise<DomainReport | null>;
  function checkDomain(check: DomainCheckInput): Promise<DomainReport>;
  async function checkDomain(check: DomainCheckInput): Promise<DomainReport | null> {
    const { tenantId, depth, patience, cancelRequested = false } = check;
    if (cancelRequested) return null;
    const { isLocal } = activityInfo();
    // What a lost Workflow Task has passed, its repetition passes too, whatever the provider answers now: otherwise the register would
    // show later stages than the Workflow has.
    const before = isLocal || depth === 'status' ? await verifiedBefore(check) : null;
    if (before !== null) return before;
    if (depth === 'look') return look(check, (await register.get(tenantId))?.onboarding ?? { records: [], domain: '' });
    const getDomain = await askedWith(check);
    const domain = await getDomain();
    if (depth === 'status' && domain.status !== 'verified') return null;
    const lastObservedAt = new Date().toISOString();
    const reported = await recordsOf(check, domain);
    if (domain.status === 'verified') return verifiedWith(reported, lastObservedAt);
    if (isLocal && domain.records.some(({ status }) => status === undefined)) return null;
    const zone = await zoneOf(check, domain, reported);
    const report = unverifiedWith(zone, lastObservedAt);
    if (patience === undefined) return report;
    // The wait may ask before the provider's own first check.
    const isChecked = report.records.some(({ status }) => status !== 'unchecked');
    if (isLocal) {
      const isShort = Buffer.byteLength(JSON.stringify(report)) <= REPORT_BYTES_MAX;
      return isChecked && isShort && !isAnswer(report, patience) ? report : null;
    }
    if (depth === 'zone') {
      // The provider may have noticed while the name servers were asked.
      const now = await getDomain();
      if (now.status === 'verified') return verifiedWith(await recordsOf(check, now), lastObservedAt);
    }
    if (isAnswer(report, patience)) return report;
    const nextMs = isChecked && patience.settleUntil === undefined ? nextDomainCheckMs : nextDecidingCheckMs;
    const delayMs = pollDelayMs(patience.waitingSince, nextMs);
    const failure = notYet('DomainNotYetVerified', describeDomain(domain.status, report), delayMs);
    throw new UnansweredCheck(failure, isChecked ? report.records : undefined);
  }

  /** Asks the provider for the domain. A check of depth `zone` first makes it check. */
  async function askedWith(check: DomainCheckInput): Promise<() => Promise<ProviderDomain>> {
    const { tenantId, domainId, depth, provider } = check;
    if (provider !== undefined) {
      const account = accountAt(provider, operatorAccounts);
      return () => askOperatorAccount(check, account);
    }
    const account = await tenantAccount(tenantId, dependencies);
    if (depth === 'zone') await requestVerification(account, check);
    return () => account.getDomain(domainId, { signal: cancellationSignal() });
  }

  return { checkDomain };
}

const verifiedWith = (records: DnsRecord[], lastObservedAt = new Date().toISOString()): DomainReport => ({
  ...{ verified: true, published: true, conclusive: true },
  ...{ records, lastObservedAt, cause: '' },
});

const unverifiedWith = (zone: ZoneCheck, lastObservedAt = new Date().toISOString()): DomainReport => ({
  ...{ verified: false, ...zone, lastObservedAt },
  cause: attentionOf(zone.records)?.cause ?? '',
});

function isAnswer({ cause, conclusive, published }: DomainReport, { knownCause, settleUntil }: Patience): boolean {
  if (settleUntil !== undefined)
    return (conclusive && !published) || activityInfo().currentAttemptScheduledTimestampMs >= settleUntil;
  // A check that is inconclusive does not show that a mistake is gone.
  return knownCause !== undefined && cause !== knownCause && (cause !== '' || conclusive);
}

/** One sentence per record, for operators: `SPF found. DKIM at k1._domainkey.acme.com: host doubled (k1._domainkey.acme.com.acme.com).` */
function describeDomain(status: string, { records }: DomainReport): string {
  const sentences = records
    .filter((record) => record.required)
    .map((record) => {
      const purpose = record.purpose.toUpperCase();
      if (record.status === 'found') return `${purpose} found.`;
      const reasons = record.findings.map(({ code, name }) => {
        const words = code.replaceAll('_', ' ');
        return name === record.name ? words : `${words} (${name})`;
      });
      return `${purpose} at ${record.name}: ${reasons.join(', ') || record.status}.`;
    });
  return [`Domain is ${status}.`, ...sentences].join(' ');
}

import { activityInfo, cancellationSignal } from '@temporalio/activity';
import type { ProviderDomain } from '../../email-provider/email-provider.ts';
import { stepIdempotencyKey } from '../../onboarding/onboarding-ids.ts';
import { attentionOf } from '../../onboarding/attention.ts';
import type { DnsRecord } from '../../onboarding/dns-record.ts';
import type { DomainReport } from '../../onboarding/domain-report.ts';
import { areConclusive } from '../../onboarding/required-records.ts';
import { nextDecidingCheckMs, nextDomainCheckMs } from '../../onboarding/polling-schedule.ts';
import { tenantAccount } from './tenant-account.ts';
import { checkZone } from './check-zone.ts';
import { toDnsRecord } from './domain.ts';
import type { CancelRequested, StepInput } from './step-input.ts';
import type { ActivityDependencies } from '../activity-dependencies.ts';
import { settlesWithin } from '../../lib/settles-within.ts';
import { notYet } from '../../lib/temporal/not-yet.ts';
import { optionalCall } from './optional-call.ts';
import { pollDelayMs, type PollInput } from './poll-delay.ts';
import { withRecords } from './record-attempts.ts';
import { runNow } from './recorded.ts';

/** As long as the client waits for an answer. */
const REQUEST_TIMEOUT_MS = 10_000;
/** With the answer before it, within the 20 seconds of a poll's attempt. */
const ZONE_TIMEOUT_MS = 8_000;

export interface DomainVerificationInput extends StepInput {
  readonly domainId: string;
  /** When the verification window closes, RFC 3339 UTC. Absent while nothing waits. */
  readonly deadline?: string;
}

export interface VerifiedDomain {
  readonly polls: number;
  readonly records: DnsRecord[];
}

/** The domain is not verified yet, and the definite mistakes differ from those that the Workflow knows. */
export interface ChangedCause {
  readonly polls: number;
  readonly records: DnsRecord[];
  /** As in `attentionOf`; empty for none. */
  readonly cause: string;
}

export interface DomainWaitInput extends DomainVerificationInput, PollInput {
  /** The last known `cause`. Absent if a change is not to be returned. */
  readonly knownCause?: string;
}

export function domainVerificationActivities(
  dependencies: Pick<ActivityDependencies, 'provider' | 'secrets' | 'register' | 'checkRecords'>,
) {
  /** The provider's records, with the zones and name servers of earlier checks where the provider names none. */
  async function recordsOf(tenantId: string, { id, records }: ProviderDomain): Promise<DnsRecord[]> {
    const namesPlaces = records.every(({ host, nameServers }) => host !== undefined && nameServers !== undefined);
    const last = namesPlaces ? undefined : (await dependencies.register.get(tenantId))?.onboarding;
    const known = last?.domainId === id ? last.records : [];
    return records.map((record) =>
      toDnsRecord(
        record,
        known.find(({ type, name }) => type === record.type && name === record.name),
      ),
    );
  }

  /** As registered, if the provider's answer has no name. */
  const nameOf = async (tenantId: string, { name }: ProviderDomain): Promise<string> =>
    name ?? (await dependencies.register.get(tenantId))?.onboarding.domain ?? '';

  /** What the provider says of the records; of a provider that says nothing, what the zone shows, as `checkDomain` does. */
  async function polledRecords(tenantId: string, domain: ProviderDomain): Promise<DnsRecord[]> {
    const reported = await recordsOf(tenantId, domain);
    if (domain.status === 'verified' || domain.records.every(({ status }) => status !== undefined)) return reported;
    const checking = checkZone(await nameOf(tenantId, domain), reported, dependencies);
    return (await settlesWithin(ZONE_TIMEOUT_MS, checking)) ? (await checking).records : reported;
  }

  /** What this run found in a Workflow Task that was lost after it had entered the next step. */
  async function verifiedBefore(check: DomainVerificationInput): Promise<VerifiedDomain | null> {
    const record = await dependencies.register.get(check.tenantId);
    if (record?.runId !== runNow(check).runId) return null;
    const hasGoneOn = record.stagesEntered > (check.stagesEntered ?? Infinity);
    return hasGoneOn ? { polls: 0, records: record.onboarding.records } : null;
  }

  async function checkDomain({ tenantId, attemptId, domainId }: DomainVerificationInput): Promise<DomainReport> {
    const account = await tenantAccount(tenantId, dependencies);
    const signal = cancellationSignal();
    // Per attempt: a constant key would replay the answer to an earlier request.
    const { activityId, currentAttemptScheduledTimestampMs } = activityInfo();
    const step = `check-${activityId}-${currentAttemptScheduledTimestampMs}`;
    const idempotencyKey = stepIdempotencyKey(tenantId, attemptId, step);
    // It only makes the provider check earlier, and is not in the specification.
    await optionalCall(REQUEST_TIMEOUT_MS, (limited) =>
      account.requestVerification(domainId, { idempotencyKey, signal: limited }),
    );
    const domain = await account.getDomain(domainId, { signal });
    const lastObservedAt = new Date().toISOString();
    const records = await recordsOf(tenantId, domain);
    if (domain.status === 'verified') {
      return { verified: true, published: true, conclusive: true, records, lastObservedAt, cause: '' };
    }
    const checked = await checkZone(await nameOf(tenantId, domain), records, dependencies);
    return { verified: false, ...checked, lastObservedAt, cause: causeOf(checked.records) };
  }

  return {
    /** Makes the provider check at once, and compares the zone itself. */
    checkDomain,

    /**
     * GET /domains/{id} once, before the Workflow waits and after a webhook; null unless the domain is verified, or if the onboarding is
     * to stop, which it then does in the wait. If a lost Workflow Task has passed the wait, its repetition passes it too, whatever the
     * provider answers now: otherwise the register would show later stages than the Workflow has.
     */
    async checkDomainStatus({
      cancelRequested = false,
      ...check
    }: DomainVerificationInput & CancelRequested): Promise<VerifiedDomain | null> {
      const { tenantId, domainId } = check;
      if (cancelRequested) return null;
      const before = await verifiedBefore(check);
      if (before !== null) return before;
      const account = await tenantAccount(tenantId, dependencies);
      const domain = await account.getDomain(domainId, { signal: cancellationSignal() });
      return domain.status === 'verified' ? { polls: 1, records: await recordsOf(tenantId, domain) } : null;
    },

    /**
     * GET /domains/{id}. Each attempt fails with what is still wrong until the domain is verified. An attempt that finds
     * other mistakes than the Workflow knows returns them, because a failed attempt tells the Workflow nothing.
     */
    async awaitDomainVerified({
      waitingSince,
      knownCause,
      ...check
    }: DomainWaitInput): Promise<VerifiedDomain | ChangedCause> {
      const account = await tenantAccount(check.tenantId, dependencies);
      const domain = await account.getDomain(check.domainId, { signal: cancellationSignal() });
      const records = await polledRecords(check.tenantId, domain);
      const polls = activityInfo().attempt;
      if (domain.status === 'verified') return { polls, records };
      const cause = causeOf(records);
      // A check that is inconclusive does not show that a mistake is gone.
      const isChange = cause !== knownCause && (cause !== '' || areConclusive(records));
      if (knownCause !== undefined && isChange) return { polls, records, cause };
      const delayMs = pollDelayMs(waitingSince, nextDomainCheckMs);
      throw withRecords(notYet('DomainNotYetVerified', describeDomain(domain.status, records), delayMs), records);
    },

    /**
     * The final check, which decides F1. The server repeats it while a name server does not answer, or while every record
     * is published and the provider has not noticed yet.
     *
     * @param input.settleUntil milliseconds since the epoch; after it, an inconclusive check is reported all the same,
     *   because the provider's status decides and the tenant must fix name servers that are silent for a day
     */
    async diagnoseDomain({
      settleUntil,
      waitingSince,
      ...check
    }: DomainVerificationInput & PollInput & { readonly settleUntil: number }): Promise<DomainReport> {
      const report = await checkDomain(check);
      if (report.verified) return report;
      // The provider may have noticed while the name servers were asked.
      const account = await tenantAccount(check.tenantId, dependencies);
      const domain = await account.getDomain(check.domainId, { signal: cancellationSignal() });
      if (domain.status === 'verified') {
        const records = await recordsOf(check.tenantId, domain);
        return { ...report, verified: true, published: true, conclusive: true, records };
      }
      const settled = report.conclusive && !report.published;
      if (settled || activityInfo().currentAttemptScheduledTimestampMs >= settleUntil) return report;
      const reason = report.published
        ? 'Every record is published; the provider has not noticed yet.'
        : 'Some required records could not be checked.';
      const delayMs = pollDelayMs(waitingSince, nextDecidingCheckMs);
      throw withRecords(notYet('DomainCheckInconclusive', reason, delayMs), report.records);
    },
  };
}

const causeOf = (records: readonly DnsRecord[]): string => attentionOf(records)?.cause ?? '';

/** One sentence per record, for operators: `SPF found. DKIM at k1._domainkey.acme.com: host doubled (k1._domainkey.acme.com.acme.com).` */
function describeDomain(status: string, records: readonly DnsRecord[]): string {
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

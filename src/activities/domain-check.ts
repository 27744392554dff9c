import { activityInfo, cancellationSignal } from '@temporalio/activity';
import type { ExpectedRecord } from '../lib/dns/expected-record.ts';
import type { DomainCheck } from '../lib/dns/check-records.ts';
import type { ProviderDomain } from '../email-provider/email-provider.ts';
import { stepIdempotencyKey } from '../onboarding/onboarding-ids.ts';
import type { DnsRecord } from '../onboarding/dns-record.ts';
import { nextDecidingCheckMs, nextDomainCheckMs } from '../onboarding/polling-schedule.ts';
import { tenantAccount } from './tenant-account.ts';
import { toDnsRecord, toRecordFinding } from './domain.ts';
import type { StepInput } from './step-input.ts';
import type { ActivityDependencies } from './activity-dependencies.ts';
import { notYet } from '../lib/temporal/not-yet.ts';
import { pollDelayMs, type PollInput } from './poll-delay.ts';
import { runOf } from './recorded.ts';

export interface DomainCheckInput extends StepInput {
  readonly domainId: string;
}

/** What a fresh look came to: at the provider, and at the zone's authoritative servers. */
export interface DomainReport {
  /** The provider's word, which alone decides. */
  readonly verified: boolean;
  /** Every required record is published as it should be, whatever the provider has noticed so far. */
  readonly published: boolean;
  /** No required record was hidden by a name server that did not answer. */
  readonly conclusive: boolean;
  readonly records: DnsRecord[];
  readonly lastObservedAt: string;
}

export interface VerifiedDomain {
  readonly polls: number;
  /** Absent in histories of earlier versions. */
  readonly records?: DnsRecord[];
}

export function domainCheckActivities(
  dependencies: Pick<ActivityDependencies, 'provider' | 'secrets' | 'register' | 'checkRecords'>,
) {
  /** A failed attempt returns nothing, and what it saw is what the next request shows. */
  async function keep(look: DomainCheckInput, records: DnsRecord[]): Promise<void> {
    const run = runOf(look);
    if (run !== undefined) await dependencies.register.note(run, { records });
  }

  /** The provider's records, with the zones that earlier looks found where the provider names none. */
  async function recordsOf(tenantId: string, { id, records }: ProviderDomain): Promise<DnsRecord[]> {
    const tellsHosts = records.every(({ host }) => host !== undefined);
    const last = tellsHosts ? undefined : (await dependencies.register.get(tenantId))?.onboarding;
    const known = last?.domainId === id ? last.records : [];
    return records.map((record) =>
      toDnsRecord(
        record,
        known.find(({ type, name }) => type === record.type && name === record.name),
      ),
    );
  }

  async function checkDomain({ tenantId, attemptId, domainId }: DomainCheckInput): Promise<DomainReport> {
    const account = await tenantAccount(tenantId, dependencies);
    const signal = cancellationSignal();
    // Each look asks anew: a key without the attempt would replay the answer to an earlier request.
    const { activityId, currentAttemptScheduledTimestampMs } = activityInfo();
    const look = `look-${activityId}-${currentAttemptScheduledTimestampMs}`;
    await account.requestVerification(domainId, {
      idempotencyKey: stepIdempotencyKey(tenantId, attemptId, look),
      signal,
    });
    const domain = await account.getDomain(domainId, { signal });
    const lastObservedAt = new Date().toISOString();
    const records = await recordsOf(tenantId, domain);
    if (domain.status === 'verified') {
      return { verified: true, published: true, conclusive: true, records, lastObservedAt };
    }
    const seen = await dependencies.checkRecords(domain.name, records.flatMap(toExpectedRecord));
    return {
      verified: false,
      published: seen.verified,
      conclusive: seen.conclusive,
      records: records.map((record) => withLook(record, seen)),
      lastObservedAt,
    };
  }

  return {
    /** One fresh look, for somebody who has just changed the DNS: asks the provider to look, and compares the zone. */
    checkDomain,

    /** GET /domains/{id} until it is verified; until then each attempt fails with what is still wrong. */
    async awaitDomainVerified({ waitingSince, ...look }: DomainCheckInput & PollInput): Promise<VerifiedDomain> {
      const account = await tenantAccount(look.tenantId, dependencies);
      const domain = await account.getDomain(look.domainId, { signal: cancellationSignal() });
      const records = await recordsOf(look.tenantId, domain);
      if (domain.status === 'verified') return { polls: activityInfo().attempt, records };
      await keep(look, records);
      throw notYet('DomainNotYetVerified', describeDomain(domain), pollDelayMs(waitingSince, nextDomainCheckMs));
    },

    /**
     * The look that decides about F1: repeated by the server while it is not conclusive, that is while a name server
     * does not answer, or while everything is published and the provider has only not noticed yet.
     *
     * @param input.settleUntil milliseconds since the epoch; an inconclusive look after it is reported as it is: the
     *   provider's word decides, and a zone whose servers have been silent for a day is the tenant's to mend
     */
    async diagnoseDomain({
      settleUntil,
      waitingSince,
      ...look
    }: DomainCheckInput & PollInput & { readonly settleUntil: number }): Promise<DomainReport> {
      const report = await checkDomain(look);
      if (report.verified) return report;
      // The provider looks at its own pace, and may have noticed while the name servers were asked.
      const account = await tenantAccount(look.tenantId, dependencies);
      const domain = await account.getDomain(look.domainId, { signal: cancellationSignal() });
      if (domain.status === 'verified') {
        const records = await recordsOf(look.tenantId, domain);
        return { ...report, verified: true, published: true, conclusive: true, records };
      }
      const settled = report.conclusive && !report.published;
      if (settled || activityInfo().currentAttemptScheduledTimestampMs >= settleUntil) return report;
      await keep(look, report.records);
      const reason = report.published
        ? 'Every record is published; the provider has not noticed yet.'
        : 'A name server does not answer, so nothing can be said about some records.';
      throw notYet('DomainLookInconclusive', reason, pollDelayMs(waitingSince, nextDecidingCheckMs));
    },
  };
}

/** One sentence per record, for ops: `SPF found. DKIM at k1._domainkey.acme.com: host doubled (k1._domainkey.acme.com.acme.com).` */
function describeDomain({ status, records }: ProviderDomain): string {
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

/** Record types the comparison does not know are left to the provider. */
function toExpectedRecord(record: DnsRecord): ExpectedRecord[] {
  const { purpose, type, name, value, required, zone = null } = record;
  return isPurpose(purpose) && (type === 'TXT' || type === 'MX')
    ? [{ purpose, type, name, value, required, zone }]
    : [];
}

const isPurpose = (purpose: string): purpose is ExpectedRecord['purpose'] =>
  ['dkim', 'spf', 'return_path', 'dmarc'].includes(purpose);

function withLook(record: DnsRecord, look: DomainCheck): DnsRecord {
  const seen = look.records.find(
    ({ name, type, purpose }) => name === record.name && type === record.type && purpose === record.purpose,
  );
  if (seen === undefined) return record;
  return {
    ...record,
    host: seen.host,
    zone: seen.zone,
    status: seen.status,
    found: [...seen.found],
    findings: seen.findings.map(toRecordFinding),
  };
}

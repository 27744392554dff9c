// What a check of its records makes of a domain:
//
//   pending            was never verified
//   verified           sends
//   temporary_failure  lacks a required record, and sends until `sends_until`
//   not_verified       lacked it until then: what is queued waits
//
// These are statuses, not a field beside `verified`: a client that knows only the specification, which leaves other words open, never takes a
// domain that refuses emails for a verified one. `pending` would say that nothing was ever sent.
//
// Only a record that the name servers conclusively lack counts. `sends_until` alone ends nothing: a check after it must find the record missing
// still. If nothing was checked in the day before, webhooks rested as well, so the notice begins again.
import type { DomainCheck } from '../../lib/dns/domain-check.ts';
import type { FindingCode } from '../../lib/dns/findings/finding.ts';
import { temporaryFindings } from '../../lib/dns/findings/temporary-findings.ts';
import type { DomainRecord } from '../resources/domain.ts';
import { EventType } from '../resources/event.ts';
import type { DomainTable } from '../store/schema.ts';

export type CheckedDomain = Pick<
  DomainTable,
  'status' | 'records' | 'verified_at' | 'drifted_at' | 'sends_until' | 'last_checked_at'
>;

export interface AfterCheck {
  readonly change: Partial<CheckedDomain>;
  readonly event?: EventType;
  /** The next check can wait for a day. */
  readonly isSettled: boolean;
}

const HOUR_MS = 3_600_000;
/** As long as an onboarding waits for a tenant's DNS. */
export const NOTICE_MS = 72 * HOUR_MS;
/** A domain without its records is checked at least every two hours. */
const UNATTENDED_MS = 24 * HOUR_MS;

export function afterCheck(before: CheckedDomain, check: DomainCheck, now: Date): AfterCheck {
  const records = recordsAfterCheck(JSON.parse(before.records) as DomainRecord[], check, now);
  const { change, ...rest } = judge(before, records, now);
  return { ...rest, change: { ...change, records: JSON.stringify(records), last_checked_at: now.toISOString() } };
}

function judge(before: CheckedDomain, records: readonly DomainRecord[], now: Date): AfterCheck {
  const required = records.filter((record) => record.required);
  if (required.length > 0 && required.every(({ status }) => status === 'found')) return confirmed(before, now);
  const unsettled = { change: {}, isSettled: false };
  const { status, sends_until: sendsUntil, last_checked_at: lastCheckedAt } = before;
  if (!required.some(isLost) || status === 'pending' || status === 'not_verified') return unsettled;
  const event = EventType.domainDrifted;
  if (status === 'temporary_failure') {
    if (now.getTime() < timeOf(sendsUntil)) return unsettled;
    if (now.getTime() - timeOf(lastCheckedAt) <= UNATTENDED_MS)
      return { ...unsettled, change: { status: 'not_verified' }, event };
  }
  const sends_until = new Date(now.getTime() + NOTICE_MS).toISOString();
  const change = { status: 'temporary_failure', drifted_at: now.toISOString(), sends_until } as const;
  return { ...unsettled, change, event };
}

function confirmed({ status }: CheckedDomain, now: Date): AfterCheck {
  if (status === 'verified') return { change: {}, isSettled: true };
  if (status === 'pending') {
    const change = { status: 'verified', verified_at: now.toISOString() } as const;
    return { change, event: EventType.domainVerified, isSettled: true };
  }
  const change = { status: 'verified', drifted_at: null, sends_until: null } as const;
  return { change, event: EventType.domainRecovered, isSettled: true };
}

const timeOf = (time: string | null): number => (time === null ? 0 : Date.parse(time));

/** Some receivers may still find the record. */
const partial: ReadonlySet<string> = new Set<FindingCode>([
  'delegation_mismatch',
  'dnssec_bogus',
  'dnssec_bogus_alias',
]);

const isLost = ({ status, findings }: DomainRecord): boolean =>
  (status === 'missing' || status === 'wrong') &&
  findings.some(({ code, severity }) => severity === 'error' && !temporaryFindings.has(code)) &&
  !findings.some(({ code }) => partial.has(code));

/** The records as the API shows them after the check. */
export function recordsAfterCheck(
  records: readonly DomainRecord[],
  check: DomainCheck,
  checkedAt: Date,
): DomainRecord[] {
  return records.map((record) => {
    const seen = check.records.find(({ type, name }) => type === record.type && name === record.name);
    if (seen === undefined) return record;
    return {
      ...record,
      host: seen.host,
      zone: seen.zone,
      name_servers: seen.nameServers.length > 0 ? [...seen.nameServers] : (record.name_servers ?? []),
      status: seen.status,
      checked_at: checkedAt.toISOString(),
      found: [...seen.found],
      findings: seen.findings.map((finding) => ({ ...finding, found: [...finding.found] })),
    };
  });
}

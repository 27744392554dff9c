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
import type { EventType } from '../resources/event.ts';
import { dkimRecordName } from './sending-records.ts';
import type { JudgedCheck } from '../store/domains.ts';
import type { DomainTable } from '../store/schema.ts';

const HOUR_MS = 3_600_000;
/** As long as an onboarding waits for a tenant's DNS. */
export const NOTICE_MS = 72 * HOUR_MS;
/** The longest that an email waits: one that the old key signed has ended then. */
const OLD_KEY_MS = 7 * 24 * HOUR_MS;
/** A domain without its records is checked at least every two hours. */
const UNATTENDED_MS = 24 * HOUR_MS;

export function afterCheck(before: DomainTable, check: DomainCheck, now: Date): JudgedCheck {
  const seen = recordsAfterCheck(JSON.parse(before.records) as DomainRecord[], check, now);
  const { records = seen, change: key } = switchKey(before, seen, now);
  const { change, event } = judge(before, records, now);
  return {
    change: { ...key, ...change, records: JSON.stringify(records), last_checked_at: now.toISOString() },
    events: [...(key === undefined ? [] : (['domain.dkim_rotated'] as const)), ...(event === undefined ? [] : [event])],
    isSettled: isSettled({ ...before, ...key, ...change }, records),
  };
}

/**
 * Another check was recorded while this one ran, and may have begun later: what this one saw says nothing any more. Unless that one has settled the
 * domain, the next one decides.
 */
export const afterOvertakenCheck = (before: DomainTable): JudgedCheck => ({
  ...{ change: {}, events: [] },
  isSettled: isSettled(before, JSON.parse(before.records) as DomainRecord[]),
});

const isSettled = (
  { status, next_dkim_selector: next }: Pick<DomainTable, 'status' | 'next_dkim_selector'>,
  records: readonly DomainRecord[],
): boolean => status === 'verified' && areFound(records) && next === null;

const areFound = (records: readonly DomainRecord[]): boolean => {
  const required = records.filter((record) => record.required);
  return required.length > 0 && required.every(({ status }) => status === 'found');
};

interface Judgement {
  readonly change?: Partial<DomainTable>;
  readonly event?: EventType;
}

function judge(before: DomainTable, records: readonly DomainRecord[], now: Date): Judgement {
  const { status, sends_until: sendsUntil, last_checked_at: lastCheckedAt } = before;
  if (areFound(records)) return confirmed(before, now);
  const isLost = records.some((record) => record.required && isGone(record));
  if (!isLost || status === 'pending' || status === 'not_verified') return {};
  const event = 'domain.drifted';
  if (status === 'temporary_failure') {
    if (now.getTime() < timeOf(sendsUntil)) return {};
    if (now.getTime() - timeOf(lastCheckedAt) <= UNATTENDED_MS) return { change: { status: 'not_verified' }, event };
  }
  const sends_until = new Date(now.getTime() + NOTICE_MS).toISOString();
  return { change: { status: 'temporary_failure', drifted_at: now.toISOString(), sends_until }, event };
}

function confirmed({ status }: DomainTable, now: Date): Judgement {
  if (status === 'verified') return {};
  if (status === 'pending')
    return { change: { status: 'verified', verified_at: now.toISOString() }, event: 'domain.verified' };
  return {
    change: { status: 'verified', drifted_at: null, sends_until: null },
    event: 'domain.recovered',
  };
}

/** Once the record of a rotation's key is found, that key signs, and the record of the old one is required no longer. */
function switchKey(
  { name, next_dkim_selector: selector, sealed_next_dkim_private_key: sealed }: DomainTable,
  seen: readonly DomainRecord[],
  now: Date,
): { readonly records?: readonly DomainRecord[]; readonly change?: Partial<DomainTable> } {
  if (selector === null || sealed === null) return {};
  const next = dkimRecordName(selector, name);
  if (seen.find((record) => record.name === next)?.status !== 'found') return {};
  const remove_after = new Date(now.getTime() + OLD_KEY_MS).toISOString();
  return {
    records: seen.map((record) => {
      if (record.name === next) return { ...record, required: true };
      return record.purpose === 'dkim' && record.required ? { ...record, required: false, remove_after } : record;
    }),
    change: {
      ...{ dkim_selector: selector, sealed_dkim_private_key: sealed },
      ...{ next_dkim_selector: null, sealed_next_dkim_private_key: null },
    },
  };
}

const timeOf = (time: string | null): number => (time === null ? 0 : Date.parse(time));

/** Some receivers may still find the record. */
const partial: ReadonlySet<string> = new Set<FindingCode>([
  'delegation_mismatch',
  'dnssec_bogus',
  'dnssec_bogus_alias',
]);

const isGone = ({ status, findings }: DomainRecord): boolean =>
  (status === 'missing' || status === 'wrong') &&
  findings.some(({ code, severity }) => severity === 'error' && !temporaryFindings.has(code)) &&
  !findings.some(({ code }) => partial.has(code));

/** The records as the API shows them after the check. */
export function recordsAfterCheck(
  records: readonly DomainRecord[],
  check: DomainCheck,
  checkedAt: Date,
): DomainRecord[] {
  const checked = records.map((record) => {
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
  return checked.filter((record) => !isReplaced(record, checkedAt) || !isGone(record));
}

/** Whether no message that its key signed is under way any more. */
export const isReplaced = ({ remove_after: removeAfter }: DomainRecord, now: Date): boolean =>
  removeAfter !== undefined && now.getTime() >= Date.parse(removeAfter);

// What tenants enter by mistake in place of the records that they were shown.
import { generateKeyPairSync } from 'node:crypto';
import type { FindingCode } from '../../lib/dns/findings/finding.ts';
import { registeredDomainOf } from '../../lib/dns/names/form-place.ts';
import { valueChunks } from '../../lib/dns/records/value-chunks.ts';
import type { DnsMistake } from './dns-mistake-names.ts';
import { toZoneRecords, type ShownRecord, type ZoneRecord } from './zone-record.ts';

interface MistakeRule {
  /** The finding by which the check of the records reports it. */
  readonly finding: FindingCode;
  /** The tenant's action, for the command's output: `enters full names in a form that appends the zone`. */
  readonly meaning: string;
  /** The records with which it begins; without it, none. */
  readonly beside?: (domain: string) => readonly ZoneRecord[];
  /** The records that result from entering one record. */
  readonly enter: (record: ZoneRecord, shown: ShownRecord, domain: string) => readonly ZoneRecord[];
}

/** By the mistake's name, which is its finding's where only one mistake leads to it. */
export const dnsMistakes: Readonly<Record<DnsMistake, MistakeRule>> = {
  not_published: {
    finding: 'not_published',
    meaning: 'enters no record',
    enter: () => [],
  },
  host_doubled: {
    finding: 'host_doubled',
    meaning: 'enters full names in a form that appends the zone',
    enter: (record, _shown, domain) => [{ ...record, name: `${record.name}.${registeredDomainOf(domain)}` }],
  },
  host_left_out: {
    finding: 'host_left_out',
    meaning: 'leaves the hosts empty, which puts the records at the domain itself',
    enter: (record, _shown, domain) => [{ ...record, name: domain }],
  },
  spf_at_domain: {
    finding: 'host_left_out',
    meaning: 'enters the SPF record at the domain itself, the others correctly',
    enter: only('spf', (record, domain) => [{ ...record, name: domain }]),
  },
  value_quoted: {
    finding: 'value_quoted',
    meaning: 'enters the texts with quotation marks around them',
    enter: (record) => [record.type === 'TXT' ? { ...record, value: `"${record.value}"` } : record],
  },
  value_truncated: {
    finding: 'value_truncated',
    meaning: 'enters only the first 255 characters of the key',
    enter: only('dkim', (record) => [{ ...record, value: valueChunks(record.value)[0] ?? '' }]),
  },
  split_into_records: {
    finding: 'split_into_records',
    meaning: 'enters the key in several records, because one field does not hold it',
    enter: only('dkim', (record) => valueChunks(record.value).map((value) => ({ ...record, value }))),
  },
  key_mismatch: {
    finding: 'key_mismatch',
    meaning: 'enters the key of another service',
    enter: only('dkim', (record) => [{ ...record, value: `v=DKIM1; k=rsa; p=${newPublicKey()}` }]),
  },
  spf_missing_mechanism: {
    finding: 'spf_missing_mechanism',
    meaning: 'enters an SPF record that allows another server only',
    // RFC 5737: an address for documentation.
    enter: only('spf', (record) => [{ ...record, value: 'v=spf1 ip4:192.0.2.1 -all' }]),
  },
  server_failure: {
    finding: 'server_failure',
    meaning: "enters everything correctly, but the domain's name server fails",
    beside: (domain) => [expiredZone(domain)],
    enter: (record) => [record],
  },
};

/** The records that a tenant enters for those of its domain that it was shown. @param mistake undefined: the same */
export function enteredRecords(
  domain: string,
  records: readonly ShownRecord[],
  mistake: DnsMistake | undefined,
): readonly ZoneRecord[] {
  if (mistake === undefined) return toZoneRecords(records);
  const { beside = () => [], enter } = dnsMistakes[mistake];
  return [
    ...beside(domain),
    ...records.flatMap((shown) => toZoneRecords([shown]).flatMap((record) => enter(record, shown, domain))),
  ];
}

/** A mistake with one record only; the others are entered as shown. */
function only(
  purpose: string,
  enter: (record: ZoneRecord, domain: string) => readonly ZoneRecord[],
): MistakeRule['enter'] {
  return (record, shown, domain) => (shown.purpose === purpose ? enter(record, domain) : [record]);
}

function newPublicKey(): string {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
}

/** A zone whose server could not copy it before it expired answers SERVFAIL. */
const expiredZone = (domain: string): ZoneRecord => ({
  name: domain,
  type: 'SOA',
  value: `ns1.${domain} hostmaster.${domain} 1 3600 600 0 5`,
});

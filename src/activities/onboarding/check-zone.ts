import type { DomainCheck } from '../../lib/dns/domain-check.ts';
import type { DnsRecord } from '../../onboarding/dns-record.ts';
import type { DomainReport } from '../../onboarding/domain-report.ts';
import { areConclusive, arePublished } from '../../onboarding/required-records.ts';
import type { ActivityDependencies } from '../activity-dependencies.ts';
import { toExpectedRecord, toRecordFinding } from './register-domain.ts';

/** A domain's records, as the zone itself shows them. */
export type ZoneCheck = Pick<DomainReport, 'records' | 'published' | 'conclusive'>;

/** Checks the records at the authoritative servers. One that this check does not cover makes the result inconclusive if it is required. */
export async function checkZone(
  domain: string,
  records: readonly DnsRecord[],
  { checkRecords }: Pick<ActivityDependencies, 'checkRecords'>,
): Promise<ZoneCheck> {
  const seen = await checkRecords(domain, records.flatMap(toExpectedRecord));
  const checked = records.map((record) => withCheck(record, seen));
  return {
    records: checked,
    published: seen.verified && arePublished(checked),
    conclusive: seen.conclusive && areConclusive(checked),
  };
}

function withCheck(record: DnsRecord, check: DomainCheck): DnsRecord {
  const seen = check.records.find(
    ({ name, type, purpose }) => name === record.name && type === record.type && purpose === record.purpose,
  );
  if (seen === undefined) return record;
  return {
    ...record,
    host: seen.host,
    zone: seen.zone,
    ...(seen.nameServers.length > 0 && { nameServers: seen.nameServers.map((server) => ({ ...server })) }),
    status: seen.status,
    found: [...seen.found],
    findings: seen.findings.map(toRecordFinding),
  };
}

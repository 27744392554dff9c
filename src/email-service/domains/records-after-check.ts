import type { DomainCheck } from '../../lib/dns/check-records.ts';
import type { DomainRecord } from '../resources/domain.ts';

/** The records as the API shows them after a look: what to publish stays, what was found in its place is new. Pure. */
export function recordsAfterCheck(records: readonly DomainRecord[], look: DomainCheck, lookedAt: Date): DomainRecord[] {
  return records.map((record) => {
    const seen = look.records.find(({ type, name }) => type === record.type && name === record.name);
    if (seen === undefined) return record;
    return {
      ...record,
      host: seen.host,
      zone: seen.zone,
      status: seen.status,
      checked_at: lookedAt.toISOString(),
      findings: seen.findings.map((finding) => ({ ...finding, found: [...finding.found] })),
    };
  });
}

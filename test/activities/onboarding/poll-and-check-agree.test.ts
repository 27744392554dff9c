// Two writers of one record: a poll reads what the email service found, and `checkDomain` asks the zone itself. Whatever the zone
// holds, both must record the same, because the setup page shows the record of whichever was last.
import { expect, test } from 'vitest';
import { checkZone } from '../../../src/activities/onboarding/check-zone.ts';
import { toDnsRecord } from '../../../src/activities/onboarding/register-domain.ts';
import { readDomain } from '../../../src/email-provider/adapters/sendoff/read-resources.ts';
import { recordsAfterCheck } from '../../../src/email-service/domains/domain-life.ts';
import type { DomainRecord } from '../../../src/email-service/resources/domain.ts';
import { diagnose } from '../../../src/lib/dns/findings/diagnose.ts';
import type { ExpectedRecord } from '../../../src/lib/dns/expected-record.ts';
import { findingCases } from '../../lib/dns/findings/finding-cases.ts';

const AT = new Date('2026-01-02T03:04:05Z');

/** As the email service keeps it before its first check. */
const unchecked = (expected: ExpectedRecord): DomainRecord => ({
  ...{ purpose: expected.purpose, type: expected.type, name: expected.name, value: expected.value },
  ...{ required: expected.required, host: expected.name, value_chunks: [expected.value], ttl: 300 },
  ...{ status: 'missing', checked_at: null, findings: [] },
});

const read = (name: string, records: readonly DomainRecord[]) =>
  readDomain(JSON.parse(JSON.stringify({ id: 'dom_1', name, status: 'pending', records })), { name }).records.map(
    (record) => toDnsRecord(record),
  );

test.each(findingCases)('$code, $when: a poll records what a check records', async (row) => {
  const { domain = 'acme.com', record, beside = [] } = row;
  const collected = [record, ...beside];
  const check = diagnose(domain, collected);
  const before = collected.map(({ expected }) => unchecked(expected));
  const polled = read(domain, recordsAfterCheck(before, check, AT));
  const checked = await checkZone(domain, read(domain, before), { checkRecords: async () => check });
  expect(polled).toEqual(checked.records);
});

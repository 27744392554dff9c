import type { Kysely } from 'kysely';
import { sendAhead } from '../../lib/sql/transactions.ts';
import type { OnboardingRecord } from '../../onboarding/onboarding-record.ts';
import type { Schema } from '../database.ts';

/** Keeps the codes of a record's findings, by which the list filters. */
export async function putFindings(
  transaction: Kysely<Schema>,
  before: OnboardingRecord | undefined,
  after: OnboardingRecord,
): Promise<void> {
  const [earlier, codes] = [codesOf(before), codesOf(after)];
  const { tenantId, startedAt } = after;
  if (codes.join() === earlier.join() && (codes.length === 0 || startedAt === before?.startedAt)) return;
  await sendAhead(transaction, transaction.deleteFrom('onboarding_findings').where('tenant_id', '=', tenantId));
  if (codes.length === 0) return;
  const rows = codes.map((code) => ({ tenant_id: tenantId, code, started_at: startedAt }));
  await sendAhead(transaction, transaction.insertInto('onboarding_findings').values(rows));
}

const codesOf = (record: OnboardingRecord | undefined): string[] => [
  ...new Set(record?.onboarding.records.flatMap(({ findings }) => findings.map(({ code }) => code))),
];

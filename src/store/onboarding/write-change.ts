// What is written when a tenant's record has changed, in the transaction of the change.
import type { Kysely } from 'kysely';
import { sendAhead } from '../../lib/sql/transactions.ts';
import type { Applied } from '../../onboarding/apply-change.ts';
import { firstEmailRef } from '../../onboarding/onboarding-ids.ts';
import type { OnboardingRecord } from '../../onboarding/onboarding-record.ts';
import type { Schema } from '../database.ts';
import { startOrEndWatch } from '../upkeep/sql-watched-domains.ts';
import type { StoredRecord } from './register.ts';
import { type RegisterRow, toRow } from './register-rows.ts';
import { insertEvents } from './stored-events.ts';

export async function writeChange(
  transaction: Kysely<Schema>,
  before: { readonly row: RegisterRow; readonly record: StoredRecord } | undefined,
  { record, events }: Extract<Applied, { kind: 'changed' }>,
  { at, notify }: { readonly at: string; readonly notify: boolean },
): Promise<StoredRecord> {
  const kept = before?.record;
  const row = toRow(record);
  const { tenantId } = record;
  if (before === undefined) await sendAhead(transaction, transaction.insertInto('onboardings').values(row));
  else if (record !== kept) await sendAhead(transaction, updateOfChanged(transaction, before.row, row));
  if (kept?.outcome === 'running' && record.outcome !== 'running')
    await sendAhead(transaction, transaction.deleteFrom('secrets').where('ref', '=', firstEmailRef(tenantId)));
  await putFindings(transaction, kept, record);
  await startOrEndWatch(transaction, kept, record, at);
  await insertEvents(transaction, record, events, { at, notify });
  return { ...record, updatedAt: row.updated_at };
}

/** SQLite writes every index of a column that is set, changed or not. */
function updateOfChanged(
  transaction: Kysely<Schema>,
  before: RegisterRow,
  { tenant_id, updated_at, ...after }: RegisterRow,
) {
  const changed = Object.entries(after).filter(([column, value]) => value !== before[column as keyof RegisterRow]);
  return transaction
    .updateTable('onboardings')
    .set({ ...Object.fromEntries(changed), updated_at })
    .where('tenant_id', '=', tenant_id);
}

/** Keeps the codes of a record's findings, by which the list filters. */
async function putFindings(
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

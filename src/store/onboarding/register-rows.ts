import type { Kysely, Selectable } from 'kysely';
import { EMBEDDED } from '../../onboarding/provider-name.ts';
import { newRecord, type OnboardingRecord, recordColumns } from '../../onboarding/onboarding-record.ts';
import { stageDueAt } from '../../onboarding/overdue.ts';
import type { Schema } from '../database.ts';
import type { StoredRecord } from './register.ts';
import { rowMapping } from '../row-mapping.ts';

export type RegisterRow = Selectable<Schema['onboardings']>;

const mapping = rowMapping<OnboardingRecord, typeof recordColumns>(recordColumns);
const { asIs, asJson } = recordColumns;
type State = Omit<OnboardingRecord, (typeof asIs | typeof asJson)[number]>;
const newState = Object.fromEntries(
  Object.entries(newRecord).filter(([field]) => ![...asIs, ...asJson].some((column) => column === field)),
) as unknown as State;
const inState = Object.keys(newState) as (keyof State)[];

export const toRow = (record: OnboardingRecord): RegisterRow =>
  Object.assign(mapping.toRow(record), {
    domain: record.onboarding.domain,
    provider: record.onboarding.provider ?? EMBEDDED,
    stage: record.onboarding.stage,
    due_at: stageDueAt(record),
    exit: record.failure?.details.exit ?? null,
    needs_attention: record.attention === null ? 0 : 1,
    stuck: record.stuck === null ? 0 : 1,
    state: JSON.stringify(Object.fromEntries(inState.map((field) => [field, record[field]]))),
    updated_at: new Date().toISOString(),
  });

/** A field that an earlier version did not know has the value that it begins with. */
export const toRecord = (row: RegisterRow): StoredRecord =>
  Object.assign(mapping.toFields(row), newState, JSON.parse(row.state) as State, { updatedAt: row.updated_at });

export const readRow = (database: Kysely<Schema>, tenantId: string): Promise<RegisterRow | undefined> =>
  database.selectFrom('onboardings').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst();

export async function readRecord(database: Kysely<Schema>, tenantId: string): Promise<StoredRecord | undefined> {
  const row = await readRow(database, tenantId);
  return row && toRecord(row);
}

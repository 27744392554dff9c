import type { Selectable } from 'kysely';
import { newRecord, type OnboardingRecord } from '../onboarding/onboarding-record.ts';
import { recordColumns, type Schema } from './database.ts';
import type { StoredRecord } from './register.ts';

export type Row = Selectable<Schema['onboardings']>;

const columns = Object.entries(recordColumns).map(([field, how]) => ({
  field: field as keyof typeof recordColumns,
  column: field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as keyof Row,
  isJson: how === 'json',
}));
const otherFields = (Object.keys(newRecord) as (keyof typeof newRecord)[]).filter((field) => !(field in recordColumns));

export function toRow(record: OnboardingRecord): Row {
  const { onboarding, failure, attention } = record;
  const stored = columns.map(({ field, column, isJson }) => {
    const value = record[field];
    return [column, isJson && value !== null ? JSON.stringify(value) : value];
  });
  return {
    ...(Object.fromEntries(stored) as Row),
    domain: onboarding.domain,
    stage: onboarding.stage,
    exit: failure?.details.exit ?? null,
    needs_attention: attention === null ? 0 : 1,
    state: JSON.stringify(Object.fromEntries(otherFields.map((field) => [field, record[field]]))),
    updated_at: new Date().toISOString(),
  };
}

export function toRecord(row: Row): StoredRecord {
  const stored = columns.map(({ field, column, isJson }) => {
    const value = row[column];
    return [field, isJson && value !== null ? JSON.parse(String(value)) : value];
  });
  // A field that an earlier version did not know has the value that it begins with.
  const fields = { ...newRecord, ...JSON.parse(row.state), ...Object.fromEntries(stored) } as OnboardingRecord;
  return { ...fields, updatedAt: row.updated_at };
}

import type { Selectable } from 'kysely';
import type { OnboardingFailure } from '../onboarding/failures.ts';
import type { OnboardTenantInput } from '../onboarding/input.ts';
import type { OnboardingEvent } from '../onboarding/onboarding-events.ts';
import type { OnboardingRecord, OnboardTenantResult } from '../onboarding/onboarding-record.ts';
import type { Onboarding } from '../onboarding/onboarding.ts';
import type { Schema } from './database.ts';
import type { StoredRecord } from './register.ts';

export type Row = Selectable<Schema['onboardings']>;

export const toRow = (record: OnboardingRecord): Row => ({
  tenant_id: record.tenantId,
  attempt_id: record.attemptId,
  started_at: record.startedAt,
  started_with: jsonOrNull(record.startedWith),
  run_id: record.runId,
  outcome: record.outcome,
  onboarding: JSON.stringify(record.onboarding),
  result: jsonOrNull(record.result),
  failure: jsonOrNull(record.failure),
  domain: record.onboarding.domain,
  stage: record.onboarding.stage,
  stage_since: record.stageSince,
  exit: record.failure?.details.exit ?? null,
  needs_attention: record.attention === null ? 0 : 1,
  ended_at: record.endedAt,
  checked_at: record.checkedAt,
  state: JSON.stringify({
    stagesEntered: record.stagesEntered,
    verifiedAt: record.verifiedAt,
    waiting: record.waiting,
    attention: record.attention,
    reported: record.reported,
  } satisfies State),
  updated_at: new Date().toISOString(),
});

type State = Pick<OnboardingRecord, 'stagesEntered' | 'verifiedAt' | 'waiting' | 'attention' | 'reported'>;

export const toRecord = (row: Row): StoredRecord => ({
  tenantId: row.tenant_id,
  attemptId: row.attempt_id,
  startedAt: row.started_at,
  startedWith: parsedOrNull(row.started_with) as OnboardTenantInput | null,
  runId: row.run_id,
  outcome: row.outcome,
  onboarding: JSON.parse(row.onboarding) as Onboarding,
  result: parsedOrNull(row.result) as OnboardTenantResult | null,
  failure: parsedOrNull(row.failure) as OnboardingFailure | null,
  stageSince: row.stage_since,
  endedAt: row.ended_at,
  checkedAt: row.checked_at,
  ...(JSON.parse(row.state) as State),
  updatedAt: row.updated_at,
});

export const toEvent = (row: Selectable<Schema['onboarding_events']>): OnboardingEvent => ({
  id: row.id,
  eventId: row.event_id,
  tenantId: row.tenant_id,
  attemptId: row.attempt_id,
  type: row.type,
  at: row.at,
  data: JSON.parse(row.data) as OnboardingEvent['data'],
});

const jsonOrNull = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));
const parsedOrNull = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

import type { Kysely, Selectable } from 'kysely';
import type { Database, Schema } from './database.ts';
import type { OnboardTenantInput } from '../onboarding/input.ts';
import type { OnboardingFailure } from '../onboarding/failures.ts';
import type { OnboardingOutcome, OnboardingRecord, OnboardTenantResult } from '../onboarding/onboarding-record.ts';
import type { Onboarding } from '../onboarding/onboarding.ts';
import { Stage } from '../onboarding/stage.ts';
import type { AttemptRun, Register, Standing } from './register.ts';

type Row = Selectable<Schema['onboardings']>;

const current: Standing = { kind: 'current' };
const unknown: Standing = { kind: 'unknown' };

/** Each write reads and writes in one transaction, so that the second of two writers sees the first. */
export function createSqlRegister(database: Database): Register {
  const writing = <T>(write: (transaction: Kysely<Schema>) => Promise<T>): Promise<T> =>
    database.transaction().execute(write);

  return {
    get: (tenantId) => read(database, tenantId),

    begin: (attempt, { runId, onboarding }) =>
      writing(async (transaction) => {
        const kept = await read(transaction, attempt.tenantId);
        if (kept?.attemptId === attempt.attemptId) {
          if (isOver(kept, { ...attempt, runId }, onboarding.stage)) return { kind: 'over', record: kept };
          return current;
        }
        if (kept !== undefined && kept.startedAt > attempt.startedAt) return { kind: 'over', record: kept };
        await put(transaction, { ...attempt, runId, onboarding, outcome: 'running', result: null, failure: null });
        return current;
      }),

    enter: (run, stage) =>
      // Usually the stage is already recorded, and a read does not wait for writers.
      read(database, run.tenantId).then(async (kept) => {
        if (kept === undefined) return unknown;
        if (isOver(kept, run, stage)) return { kind: 'over', record: kept };
        if (kept.onboarding.stage !== stage) await change(run, { stage });
        return current;
      }),

    note: (run, made) => change(run, made),

    end: (record) =>
      writing(async (transaction) => {
        const kept = await read(transaction, record.tenantId);
        if (kept !== undefined && hasEndedElsewhere(kept, record)) return { kind: 'over', record: kept };
        await put(transaction, record);
        return current;
      }),
  };

  async function change(run: AttemptRun, changes: Partial<Onboarding>): Promise<void> {
    await writing(async (transaction) => {
      const kept = await read(transaction, run.tenantId);
      if (kept === undefined || hasEndedElsewhere(kept, run)) return;
      const onboarding = { ...kept.onboarding, ...changes };
      await put(transaction, { ...kept, runId: run.runId, outcome: 'running', onboarding });
    });
  }
}

/** A termination undoes nothing, so a Reset may continue after it. */
const mayGoOn: readonly OnboardingOutcome[] = ['running', 'terminated'];

const hasEndedElsewhere = (kept: OnboardingRecord, run: AttemptRun): boolean =>
  kept.attemptId !== run.attemptId || (!mayGoOn.includes(kept.outcome) && kept.runId !== run.runId);

/** Once the undo has begun, no run executes another step: its resources may be gone. */
const isOver = (kept: OnboardingRecord, run: AttemptRun, stage: Stage): boolean =>
  hasEndedElsewhere(kept, run) || (kept.onboarding.stage === Stage.undoing && stage !== Stage.undoing);

async function read(database: Kysely<Schema>, tenantId: string): Promise<OnboardingRecord | undefined> {
  const row = await database.selectFrom('onboardings').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst();
  return row && toRecord(row);
}

async function put(database: Kysely<Schema>, record: OnboardingRecord): Promise<void> {
  const { tenant_id, ...columns } = toRow(record);
  await database
    .insertInto('onboardings')
    .values({ tenant_id, ...columns })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(columns))
    .execute();
}

const toRow = (record: OnboardingRecord): Row => ({
  tenant_id: record.tenantId,
  attempt_id: record.attemptId,
  started_at: record.startedAt,
  started_with: jsonOrNull(record.startedWith),
  run_id: record.runId,
  outcome: record.outcome,
  onboarding: JSON.stringify(record.onboarding),
  result: jsonOrNull(record.result),
  failure: jsonOrNull(record.failure),
});

const toRecord = (row: Row): OnboardingRecord => ({
  tenantId: row.tenant_id,
  attemptId: row.attempt_id,
  startedAt: row.started_at,
  startedWith: parsedOrNull(row.started_with) as OnboardTenantInput | null,
  runId: row.run_id,
  outcome: row.outcome,
  onboarding: JSON.parse(row.onboarding) as Onboarding,
  result: parsedOrNull(row.result) as OnboardTenantResult | null,
  failure: parsedOrNull(row.failure) as OnboardingFailure | null,
});

const jsonOrNull = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));
const parsedOrNull = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

import { type Kysely, sql } from 'kysely';
import { attentionOfWatch } from '../onboarding/domain-watch.ts';
import { eventsOf, isNotified, type NewEvent, withAttention } from '../onboarding/onboarding-events.ts';
import type { OnboardingRecord } from '../onboarding/onboarding-record.ts';
import type { Onboarding } from '../onboarding/onboarding.ts';
import { Stage } from '../onboarding/stage.ts';
import type { Database, Schema } from './database.ts';
import { inTransaction, sendAhead } from '../lib/sql/transactions.ts';
import { insertEvents } from './insert-events.ts';
import { listRecords } from './list-records.ts';
import { lockTenant } from './lock-tenant.ts';
import { putFindings } from './put-findings.ts';
import { readRecord } from './read-record.ts';
import {
  changed,
  deadlineAfter,
  ending,
  final,
  hasEnded,
  hasEndedElsewhere,
  isLate,
  isOver,
  mayNote,
  newRecord,
} from './record-rules.ts';
import type { AttemptRun, Register, Standing, StoredRecord } from './register.ts';
import { type Row, toEvent, toRow } from './register-rows.ts';
import { followOnboarding, putWatch, readWatch } from './sql-watched-domains.ts';
import type { WatchedDomain } from './watched-domains.ts';

export interface RegisterOptions {
  /** Whether the backend receives notifications: their events then wait for delivery. @default false */
  readonly notify?: boolean;
  /** Called after the commit of an event that waits for delivery. */
  readonly onNotification?: (tenantId: string) => void;
}

const current: Standing = { kind: 'current' };
const unknown: Standing = { kind: 'unknown' };

/** Each write reads and writes in one transaction, so that the second of two writers sees the first. */
export function createSqlRegister(
  database: Database,
  { notify = false, onNotification = () => undefined }: RegisterOptions = {},
): Register {
  async function write<Result extends Written>(
    tenantId: string,
    change: (transaction: Kysely<Schema>, kept: StoredRecord | undefined) => Promise<Result>,
  ): Promise<Result> {
    const written = await inTransaction(database, async (transaction) => {
      await lockTenant(transaction, tenantId);
      return change(transaction, await readRecord(transaction, tenantId));
    });
    if (written.events.some(({ type }) => notify && isNotified(type))) onNotification(tenantId);
    return written;
  }

  const standingAfter = async (...of: Parameters<typeof write>): Promise<Standing> => (await write(...of)).standing;

  /** Replaces the tenant's record and adds the events of the change. */
  async function put(
    transaction: Kysely<Schema>,
    before: OnboardingRecord | undefined,
    { at, ...record }: OnboardingRecord & { at: string },
  ): Promise<WrittenRecord> {
    const after = withAttention(record, at);
    const row = toRow(after);
    await sendAhead(
      transaction,
      before === undefined
        ? transaction.insertInto('onboardings').values(row)
        : updateOfChanged(transaction, toRow(before), row),
    );
    await putFindings(transaction, before, after);
    await followOnboarding(transaction, before, after, at);
    const events = eventsOf(before, after);
    await insertEvents(transaction, after, events, { at, notify });
    return { standing: current, events, record: { ...after, updatedAt: row.updated_at } };
  }

  return {
    get: (tenantId) => readRecord(database, tenantId),

    list: (filter, page) => listRecords(database, filter, page),

    async announce(start) {
      const { record } = await write(start.tenantId, async (transaction, kept) =>
        kept !== undefined && (kept.attemptId === start.attemptId || kept.startedAt > start.startedAt)
          ? { ...unchanged, record: kept }
          : put(transaction, kept, { ...newRecord, ...start, stageSince: start.at }),
      );
      return record;
    },

    begin: (start) =>
      standingAfter(start.tenantId, async (transaction, kept) => {
        if (kept?.attemptId === start.attemptId) {
          if (isOver(kept, start, start.onboarding.stage)) return over(kept);
          if (kept.startedAt === start.startedAt) return unchanged;
          // The announcement had the time of another clock.
          const { stages } = start.onboarding;
          return put(transaction, kept, { ...kept, ...start, onboarding: { ...kept.onboarding, stages } });
        }
        if (kept !== undefined && kept.startedAt > start.startedAt) return over(kept);
        return put(transaction, kept, { ...newRecord, ...start, stageSince: start.at });
      }),

    async enter(run, stage, deadline) {
      // Usually nothing changes, and a read does not wait for writers.
      const kept = await readRecord(database, run.tenantId);
      if (kept === undefined) return unknown;
      if (isOver(kept, run, stage)) return { kind: 'over', record: kept };
      if (isLate(kept, run)) return current;
      const verificationDeadline = deadlineAfter(kept, run, deadline);
      if (kept.onboarding.stage !== stage || kept.onboarding.verificationDeadline !== verificationDeadline) {
        await change(run, { stage, verificationDeadline });
      }
      return current;
    },

    note: (run, made, checkedAt) => change(run, made, checkedAt),

    async noteAttempt(run, activity, failed, records) {
      // Usually nothing changes, and a read does not wait for writers.
      if (failed === null && (await readRecord(database, run.tenantId))?.waiting?.activity !== activity) return;
      await write(run.tenantId, async (transaction, kept) => {
        const checked = records && changed(kept, run, { records: [...records] }, run.at);
        if (kept !== undefined && mayNote(kept, run, failed))
          return put(transaction, kept, { ...(checked ?? kept), waiting: failed, at: run.at });
        return checked === undefined ? unchanged : put(transaction, kept, checked);
      });
    },

    async extend({ tenantId, attemptId, at }, deadline) {
      await write(tenantId, async (transaction, kept) => {
        if (kept?.attemptId !== attemptId || kept.outcome !== 'running') return unchanged;
        const { stage, verificationDeadline } = kept.onboarding;
        if (stage !== Stage.awaitingDomain || verificationDeadline === null || deadline <= verificationDeadline)
          return unchanged;
        const onboarding = { ...kept.onboarding, verificationDeadline: deadline };
        return put(transaction, kept, { ...kept, at, onboarding });
      });
    },

    async beginUndo(undo) {
      const { standing, record } = await write(undo.tenantId, async (transaction, kept): Promise<WrittenRecord> => {
        if (kept !== undefined && (hasEndedElsewhere(kept, undo) || hasEnded(kept)))
          return { ...over(kept), record: kept };
        return put(transaction, kept, ending(kept, { ...undo, outcome: 'running', result: null }));
      });
      return { kind: standing.kind === 'over' ? 'over' : 'current', record };
    },

    end: ({ recordedRunId, ...end }) =>
      standingAfter(end.tenantId, async (transaction, kept) => {
        if (kept !== undefined && hasEndedElsewhere(kept, end)) return over(kept);
        // A Reset has continued the onboarding while its end was looked up.
        if (kept !== undefined && recordedRunId !== undefined && kept.runId !== recordedRunId) return over(kept);
        // The Workflow Task that recorded the end was lost, and its repetition was cancelled.
        if (kept !== undefined && final.includes(kept.outcome) && end.outcome === 'cancelled') return over(kept);
        // A frozen Worker resumes a lost Workflow Task, after another Worker has begun to undo it.
        if (kept?.onboarding.stage === Stage.undoing && end.outcome === 'onboarded') return over(kept);
        return put(transaction, kept, ending(kept, end));
      }),

    addEvent: async (tenantId, event, at) => {
      await write(tenantId, async (transaction, kept) => {
        if (kept === undefined) return unchanged;
        await insertEvents(transaction, kept, [event], { at, notify });
        return { standing: current, events: [event] };
      });
    },

    async watch(tenantId, at, change) {
      let watched: WatchedDomain | undefined;
      await write(tenantId, async (transaction, kept) => {
        // Another run of this transaction may have set it.
        watched = undefined;
        const before = await readWatch(transaction, tenantId);
        const changed = before && change(before);
        if (kept === undefined || changed === undefined) return unchanged;
        const { records } = changed;
        watched = changed.watched;
        await putWatch(transaction, watched);
        const { events } = await put(transaction, kept, {
          ...kept,
          at,
          attention: attentionOfWatch(watched),
          ...(records && { onboarding: { ...kept.onboarding, records }, checkedAt: at }),
        });
        const watchEvents = changed.events.map(({ type, data }) => ({
          type,
          data: { domain: kept.onboarding.domain, ...data },
        }));
        await insertEvents(transaction, kept, watchEvents, { at, notify });
        return { standing: current, events: [...events, ...watchEvents] };
      });
      return watched;
    },

    async events({ after, tenantId, limit }) {
      let query = database.selectFrom('onboarding_events').selectAll().where('id', '>', after);
      if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId);
      return (await query.orderBy('id').limit(limit).execute()).map(toEvent);
    },

    async eventRange() {
      // SQLite reads the whole table for both aggregates in one query.
      const idAt = async (direction: 'asc' | 'desc') => {
        const ids = database.selectFrom('onboarding_events').select('id').orderBy('id', direction).limit(1);
        return (await ids.executeTakeFirst())?.id ?? 0;
      };
      const { rows } = await sql<{ to: number }>`select events_removed_to as "to" from installation`.execute(database);
      const removedTo = rows[0]?.to ?? 0;
      // Events whose notification is pending outlive later ones.
      return { oldest: Math.max(await idAt('asc'), removedTo + 1), latest: await idAt('desc') };
    },
  };

  async function change(run: AttemptRun, changes: Partial<Onboarding>, checkedAt?: string): Promise<void> {
    await write(run.tenantId, async (transaction, kept) => {
      const after = changed(kept, run, changes, checkedAt);
      return after === undefined ? unchanged : put(transaction, kept, after);
    });
  }
}

interface Written {
  readonly standing: Standing;
  readonly events: readonly NewEvent[];
}

interface WrittenRecord extends Written {
  readonly record: StoredRecord;
}

const unchanged: Written = { standing: current, events: [] };
const over = (record: StoredRecord): Written => ({ standing: { kind: 'over', record }, events: [] });

/** SQLite writes every index of a column that is set, changed or not. */
function updateOfChanged(transaction: Kysely<Schema>, before: Row, { tenant_id, updated_at, ...after }: Row) {
  const changed = Object.entries(after).filter(([column, value]) => value !== before[column as keyof Row]);
  return transaction
    .updateTable('onboardings')
    .set({ ...Object.fromEntries(changed), updated_at })
    .where('tenant_id', '=', tenant_id);
}

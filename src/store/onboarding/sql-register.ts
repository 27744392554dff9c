import type { Kysely } from 'kysely';
import { applyChange, type Applied } from '../../onboarding/apply-change.ts';
import { isNotified } from '../../onboarding/onboarding-events.ts';
import { firstEmailRef } from '../../onboarding/onboarding-ids.ts';
import type { RecordChange, RecordStart } from '../../onboarding/record-change.ts';
import type { Sealer } from '../../lib/sealing.ts';
import { inTransaction } from '../../lib/sql/transactions.ts';
import type { Database, Schema } from '../database.ts';
import { createSqlSecretStore } from '../secret-store.ts';
import { listRecords } from './list-records.ts';
import { lockTenant } from './lock-tenant.ts';
import { countEnd } from './count-ends.ts';
import type { Register, Standing, StoredRecord } from './register.ts';
import { explained, explanation } from './explain-bounces.ts';
import { readRecord, readRow, toRecord } from './register-rows.ts';
import { eventReader } from './stored-events.ts';
import { writeChange } from './write-change.ts';
import { putWatch, readWatch } from '../upkeep/sql-watched-domains.ts';
import type { WatchedDomain } from '../upkeep/watched-domains.ts';

export interface RegisterOptions {
  /** Whether the backend receives notifications: their events then wait for delivery. @default false */
  readonly notify?: boolean;
  /** Called after the commit of an event that waits for delivery. */
  readonly onNotification?: (tenantId: string) => void;
  /** Encrypts the texts of first emails. @default they are not kept */
  readonly sealer?: Sealer;
}

/** Each write reads, applies the rule and writes in one transaction, so that the second of two writers sees the first. */
export function createSqlRegister(
  database: Database,
  { notify = false, onNotification = () => undefined, sealer }: RegisterOptions = {},
): Register {
  /**
   * @param prepare returns undefined to change nothing; another run of the transaction calls it again
   * @param then what else the transaction writes, given the record after the change
   */
  async function write(
    tenantId: string,
    prepare: (transaction: Kysely<Schema>, kept: StoredRecord | undefined) => Prepared | Promise<Prepared>,
    then: (transaction: Kysely<Schema>, record: StoredRecord | undefined) => Promise<void> = async () => undefined,
  ): Promise<Written> {
    const { written, events, hasEnded } = await inTransaction(database, async (transaction) => {
      await lockTenant(transaction, tenantId);
      const row = await readRow(transaction, tenantId);
      const before = row && { row, record: toRecord(row) };
      const kept = before?.record;
      const change = await prepare(transaction, kept);
      const applied = change && applyChange(kept, change);
      if (change === undefined || applied?.kind !== 'changed') {
        await then(transaction, kept);
        return { written: { kind: applied?.kind ?? 'unchanged', record: kept }, events: [], hasEnded: false };
      }
      const record = await writeChange(transaction, before, applied, { at: change.by.at, notify });
      await then(transaction, record);
      const { kind, events } = applied;
      return { written: { kind, record }, events, hasEnded: record.outcome !== kept?.outcome };
    });
    if (hasEnded && written.record !== undefined) countEnd(written.record);
    if (notify && events.some(({ type }) => isNotified(type))) onNotification(tenantId);
    return written;
  }

  const apply = (change: RecordChange): Promise<Written> => write(change.by.tenantId, () => change);

  /** The text is kept in the transaction of the start, so that an end that comes first cannot leave it behind. */
  const applyStart = (kind: 'announce' | 'adopt', by: RecordStart, firstEmail?: string): Promise<Written> =>
    write(
      by.tenantId,
      () => ({ kind, by }),
      async (transaction, record) => {
        const isRunning = record?.attemptId === by.attemptId && record.outcome === 'running';
        if (firstEmail === undefined || sealer === undefined || !isRunning) return;
        await createSqlSecretStore(transaction, sealer).put(firstEmailRef(by.tenantId), firstEmail);
      },
    );

  /** For what usually changes nothing: a read does not wait for writers. */
  async function applyIfChanged(change: RecordChange): Promise<Written> {
    const record = await readRecord(database, change.by.tenantId);
    const { kind } = applyChange(record, change);
    return kind === 'changed' ? apply(change) : { kind, record };
  }

  return {
    get: (tenantId) => readRecord(database, tenantId),
    list: (filter, page) => listRecords(database, filter, page),
    async announce(by, firstEmail) {
      const { record } = await applyStart('announce', by, firstEmail);
      if (record === undefined) throw new Error('a start leaves a record');
      return record;
    },
    adopt: (by, firstEmail) => applyStart('adopt', by, firstEmail),
    begin: async (by) => standingOf(await apply({ kind: 'begin', by })),
    async enter(by, stage, deadline) {
      const made = { stage, verificationDeadline: deadline ?? null };
      return standingOf(await applyIfChanged({ kind: 'enter', by, made }));
    },
    note: (by, made, checkedAt) => apply({ kind: 'note', by, made, checkedAt }),
    noteAttempt: (by, activity, failed, records) =>
      (failed === null ? applyIfChanged : apply)({ kind: 'noteAttempt', by, activity, failed, records }),
    noteStuck: (by, stuck) => applyIfChanged({ kind: 'noteStuck', by, stuck }),
    extend: (by, deadline) => apply({ kind: 'extend', by, deadline }),
    async beginUndo(by) {
      const written = await write(by.tenantId, async (transaction) => ({
        kind: 'beginUndo',
        by: await explained(transaction, by),
      }));
      return { ...(written.record && { record: written.record }), ...standingOf(written) };
    },
    end: async (by) =>
      standingOf(
        await write(by.tenantId, async (transaction) => ({ kind: 'end', by: await explained(transaction, by) })),
      ),
    explainBounce: (tenantId, at) =>
      write(tenantId, async (transaction, kept) => {
        const found = kept && (await explanation(transaction, kept));
        return found && { kind: 'explain', by: { tenantId, at }, ...found };
      }),
    addEvent: (tenantId, event, at) => apply({ kind: 'addEvent', by: { tenantId, at }, event }),
    async watch(tenantId, at, change) {
      let watched: WatchedDomain | undefined;
      const { kind } = await write(tenantId, async (transaction, kept) => {
        const before = kept && (await readWatch(transaction, tenantId));
        const changed = before && change(before);
        watched = changed?.watched;
        if (changed === undefined) return undefined;
        await putWatch(transaction, changed.watched);
        return { kind: 'watch', by: { tenantId, at }, ...changed };
      });
      return kind === 'changed' ? watched : undefined;
    },
    ...eventReader(database),
  };
}

type Prepared = RecordChange | undefined;

/** `record`: after the change, or the one that forbids it. */
interface Written {
  readonly kind: Applied['kind'];
  readonly record: StoredRecord | undefined;
}

const standingOf = ({ kind, record }: Written): Standing => {
  if (record === undefined || kind === 'unknown') return { kind: 'unknown' };
  return kind === 'over' ? { kind, record } : { kind: 'current' };
};

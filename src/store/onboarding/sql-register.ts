import type { Kysely } from 'kysely';
import { applyChange, type Applied } from '../../onboarding/apply-change.ts';
import { explainedBy, unexplainedEmail } from '../../onboarding/explained-bounce.ts';
import { isNotified } from '../../onboarding/onboarding-events.ts';
import { firstEmailRef } from '../../onboarding/onboarding-ids.ts';
import type { Bounce } from '../../onboarding/provider-event.ts';
import type { RecordChange, RecordStart, RecordUndo } from '../../onboarding/record-change.ts';
import type { Sealer } from '../../lib/sealing.ts';
import { inTransaction, sendAhead } from '../../lib/sql/transactions.ts';
import type { Database, Schema } from '../database.ts';
import { createSqlSecretStore } from '../sql-secret-store.ts';
import { listRecords } from './list-records.ts';
import { lockTenant } from './lock-tenant.ts';
import { countEnd } from './count-ends.ts';
import { putFindings } from './put-findings.ts';
import type { Register, Standing, StoredRecord } from './register.ts';
import { readRecord, readRow, type RegisterRow, toRecord, toRow } from './register-rows.ts';
import { createSqlProviderEvents } from './sql-provider-events.ts';
import { eventReader, insertEvents } from './stored-events.ts';
import { startOrEndWatch, putWatch, readWatch } from '../upkeep/sql-watched-domains.ts';
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
  /** @param prepare returns undefined to change nothing; another run of the transaction calls it again */
  async function write(
    tenantId: string,
    prepare: (
      transaction: Kysely<Schema>,
      kept: StoredRecord | undefined,
    ) => RecordChange | Promise<RecordChange | undefined>,
  ): Promise<Written> {
    const written = await inTransaction(database, async (transaction) => {
      await lockTenant(transaction, tenantId);
      const before = await readRow(transaction, tenantId);
      const kept = before && toRecord(before);
      const change = await prepare(transaction, kept);
      if (change === undefined) return { kind: 'unchanged', record: kept, events: [] } as const;
      const applied = applyChange(kept, change);
      if (applied.kind !== 'changed') return { kind: applied.kind, record: kept, events: [] };
      const { record, events } = applied;
      const { at } = change.by;
      const row = toRow(record);
      if (before === undefined) await sendAhead(transaction, transaction.insertInto('onboardings').values(row));
      else if (record !== kept) await sendAhead(transaction, updateOfChanged(transaction, before, row));
      if (kept?.outcome === 'running' && record.outcome !== 'running')
        await sendAhead(transaction, transaction.deleteFrom('secrets').where('ref', '=', firstEmailRef(tenantId)));
      await putFindings(transaction, kept, record);
      await startOrEndWatch(transaction, kept, record, at);
      await insertEvents(transaction, record, events, { at, notify });
      const hasEnded = record.outcome !== 'running' && record.outcome !== kept?.outcome;
      return { ...applied, record: { ...record, updatedAt: row.updated_at }, hasEnded };
    });
    if ('hasEnded' in written && written.hasEnded) countEnd(written.record);
    if (written.events.some(({ type }) => notify && isNotified(type))) onNotification(tenantId);
    return written;
  }

  /** A poll may find that an email bounced before the webhook arrives that says why: the later of both writes finds the other. */
  async function explanation(
    transaction: Kysely<Schema>,
    { failure, onboarding: { provider } }: Pick<RecordUndo, 'failure' | 'onboarding'>,
  ): Promise<{ emailId: string; bounce: Bounce } | undefined> {
    const emailId = unexplainedEmail(failure);
    if (emailId === undefined || provider === undefined) return undefined;
    const { bounce = null } = (await createSqlProviderEvents(transaction).email(provider, emailId)) ?? {};
    return bounce === null ? undefined : { emailId, bounce };
  }
  async function explained<End extends RecordUndo>(transaction: Kysely<Schema>, by: End): Promise<End> {
    const { failure } = by;
    const found = failure === null ? undefined : await explanation(transaction, by);
    return failure === null || found === undefined ? by : { ...by, failure: explainedBy(failure, found.bounce) };
  }

  const apply = (change: RecordChange): Promise<Written> => write(change.by.tenantId, () => change);

  /** The text is kept in the transaction of the start, so that an end that comes first cannot leave it behind. */
  const applyStart = (kind: 'announce' | 'adopt', by: RecordStart, firstEmail?: string): Promise<Written> =>
    write(by.tenantId, async (transaction, kept) => {
      const isOver =
        kept?.attemptId === by.attemptId ? kept.outcome !== 'running' : (kept?.startedAt ?? '') > by.startedAt;
      if (firstEmail !== undefined && sealer !== undefined && !isOver)
        await createSqlSecretStore(transaction, sealer).put(firstEmailRef(by.tenantId), firstEmail);
      return { kind, by };
    });

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

/** `record`: after the change, or the one that forbids it. */
interface Written {
  readonly kind: Applied['kind'];
  readonly record: StoredRecord | undefined;
}

const standingOf = ({ kind, record }: Written): Standing => {
  if (record === undefined) return { kind: 'unknown' };
  return kind === 'over' ? { kind, record } : { kind: 'current' };
};

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

import { type Selectable, sql } from 'kysely';
import { HostName } from '../../agents-md/code-host.ts';
import type { Producer } from '../../agents-md/producer.ts';
import { type Outcome, reasons } from '../../agents-md/reasons.ts';
import { inTransaction, isPostgres } from '../../lib/sql/transactions.ts';
import type { Database, Schema } from '../database.ts';
import { askFor, progress } from './asked-producers.ts';
import type {
  CheckSelection,
  ConclusiveResult,
  DueProducer,
  ImportChanges,
  OutcomeCounts,
  ProducerFilter,
  ProducerPosition,
  ProducerRecord,
  SweepPosition,
} from './producers.ts';
import { definitionOf, definitions, lockCatalogue, removeAll, writeAll } from './write-producers.ts';

const IDS_SHOWN_MAX = 100;
const DAYS_MAX = 400;

type Row = Selectable<Schema['producers']>;

export type Producers = ReturnType<typeof createSqlProducers>;

export function createSqlProducers(database: Database) {
  return {
    async get(producerId: string) {
      const row = await database
        .selectFrom('producers')
        .selectAll()
        .where('producer_id', '=', producerId)
        .executeTakeFirst();
      return row && toRecord(row);
    },

    /** The last conclusive results, the latest first; at most 50 are kept. */
    async results(producerId: string): Promise<ConclusiveResult[]> {
      const rows = await database
        .selectFrom('producer_results')
        .selectAll()
        .where('producer_id', '=', producerId)
        .orderBy('checked_at', 'desc')
        .execute();
      return rows.map(({ outcome, reason: reasonCode, checked_at: checkedAt }) => ({ outcome, reasonCode, checkedAt }));
    },

    async list(
      { outcome, reason, label, changedSince }: ProducerFilter,
      { limit, after }: { limit: number; after: ProducerPosition | undefined },
    ) {
      const [since = '', lastId = ''] = after ?? [];
      const isByChange = changedSince !== undefined;
      let query = database.selectFrom('producers').selectAll('producers');
      const require = (column: 'outcome' | 'reason' | 'attempt_reason', value: string): void => {
        // SQLite would read and sort all rows that have the value, for every page, instead of an index in the order.
        const isForced = (isByChange || label !== undefined) && !isPostgres(database);
        query = query.where(isForced ? sql`+${sql.ref(column)}` : sql.ref(column), '=', value);
      };
      if (outcome !== undefined) require('outcome', outcome);
      if (reason !== undefined) require(reasons[reason].outcome === null ? 'attempt_reason' : 'reason', reason);
      if (isByChange) {
        if (label !== undefined) {
          query = query.where((where) =>
            where.exists(
              where
                .selectFrom('producer_labels')
                .select('label')
                .where('label', '=', label)
                .whereRef('producer_labels.producer_id', '=', 'producers.producer_id'),
            ),
          );
        }
        query = query
          .where('outcome_since', '>=', changedSince)
          .where(sql<boolean>`(outcome_since, producers.producer_id) > (${since}, ${lastId})`)
          .orderBy('outcome_since')
          .orderBy('producers.producer_id');
      } else if (label === undefined) {
        query = query.where('producers.producer_id', '>', lastId).orderBy('producers.producer_id');
      } else {
        query = query
          .innerJoin('producer_labels', 'producer_labels.producer_id', 'producers.producer_id')
          .where('label', '=', label)
          .where('producer_labels.producer_id', '>', lastId)
          .orderBy('producer_labels.producer_id');
      }
      return (await query.limit(limit).execute()).map(toRecord);
    },

    /** In one transaction. @param options.removeMissing whether those not in the list are removed */
    put: (
      producers: readonly Producer[],
      { at, removeMissing = false, dryRun = false }: { at: string; removeMissing?: boolean; dryRun?: boolean },
    ): Promise<ImportChanges> =>
      inTransaction(database, async (transaction) => {
        if (!dryRun) await lockCatalogue(transaction);
        const known = await definitions(transaction, removeMissing ? undefined : producers);
        const added: Producer[] = [];
        const changed: Producer[] = [];
        const unchanged: string[] = [];
        for (const producer of producers) {
          const before = known.get(producer.producerId);
          if (before === undefined) added.push(producer);
          else if (before !== JSON.stringify(definitionOf(producer))) changed.push(producer);
          else unchanged.push(producer.producerId);
          known.delete(producer.producerId);
        }
        const removed = removeMissing ? [...known.keys()] : [];
        if (!dryRun) {
          await writeAll(transaction, [...added, ...changed], at);
          await removeAll(transaction, removed);
        }
        const ids = (list: readonly Producer[]): string[] => list.map(({ producerId }) => producerId);
        return {
          ...{ added: shownIds(ids(added)), changed: shownIds(ids(changed)) },
          ...{ removed: shownIds(removed), unchanged: shownIds(unchanged) },
        };
      }),

    /** With its results. False if there was none. */
    remove: (producerId: string) =>
      inTransaction(database, async (transaction) => {
        await lockCatalogue(transaction);
        return (await removeAll(transaction, [producerId])) > 0;
      }),

    /** Changes nothing else, whatever another caller writes meanwhile. Undefined if there is none. */
    setPaused: async (producerId: string, paused: boolean, at: string) => {
      const row = await database
        .updateTable('producers')
        .set({
          paused: paused ? 1 : 0,
          next_check_at: paused ? null : sql<string>`case when paused = 1 then ${at} else next_check_at end`,
          // A paused producer would never answer.
          ...(paused && { asked_at: null }),
        })
        .where('producer_id', '=', producerId)
        .returningAll()
        .executeTakeFirst();
      return row && toRecord(row);
    },

    /** Makes them due. Those that are paused are checked only if they are named. @returns how many */
    askFor: (selection: CheckSelection, at: string) => askFor(database, selection, at),
    /** The progress of one of the last 20 requests; without producers that were removed or paused since. */
    progress: (askedAt: string) => progress(database, askedAt),

    async dueHosts(dueBy: string) {
      const isDue = (host: HostName) =>
        database
          .selectFrom('producers')
          .select('host')
          .where('host', '=', host)
          .where('next_check_at', '<=', dueBy)
          .limit(1)
          .executeTakeFirst();
      const found = await Promise.all(Object.values(HostName).map(isDue));
      return found.flatMap((row) => row?.host ?? []);
    },

    /** Those of one organization follow one another. */
    async due(page: {
      readonly host: HostName;
      readonly dueBy: string;
      readonly after: SweepPosition | null;
      readonly limit: number;
    }): Promise<DueProducer[]> {
      const { host, dueBy, after, limit } = page;
      const [organization, repository, producerId] = after ?? ['', '', ''];
      const rows = await database
        .selectFrom('producers')
        .selectAll()
        .where('host', '=', host)
        .where(
          sql<boolean>`(organization_key, repository_key, producer_id) > (${organization}, ${repository}, ${producerId})`,
        )
        .where('next_check_at', '<=', dueBy)
        .orderBy('organization_key')
        .orderBy('repository_key')
        .orderBy('producer_id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        producerId: row.producer_id,
        host: row.host,
        ...(row.organization === null ? {} : { organization: row.organization }),
        ...(row.primary_repository === null ? {} : { primaryRepository: row.primary_repository }),
        position: [row.organization_key, row.repository_key, row.producer_id],
      }));
    },

    async counts(): Promise<OutcomeCounts> {
      const outcomes = await countsOf(database).select('outcome').groupBy('outcome').execute();
      const byReason = await countsOf(database)
        .select('reason')
        .where('reason', 'is not', null)
        .groupBy('reason')
        .execute();
      const byHost = await countsOf(database).select('host').groupBy('host').execute();
      const byLabel = await database
        .selectFrom('producer_labels')
        .innerJoin('producers', 'producers.producer_id', 'producer_labels.producer_id')
        .select(['label', 'outcome', counted])
        .groupBy(['label', 'outcome'])
        .orderBy('label')
        .execute();
      const lastDays = database
        .selectFrom('producer_days')
        .select('day')
        .distinct()
        .orderBy('day', 'desc')
        .limit(DAYS_MAX);
      const days = await database
        .selectFrom('producer_days')
        .selectAll()
        .where('day', '>=', (where) =>
          where.selectFrom(lastDays.as('oldest')).select(({ fn }) => fn.min('day').as('day')),
        )
        .orderBy('day')
        .execute();
      return {
        total: outcomes.reduce((sum, { producers }) => sum + Number(producers), 0),
        outcomes: outcomeCounts(outcomes),
        reasons: Object.fromEntries(
          byReason.map(({ reason, producers }) => [reason, Number(producers)]),
        ) as OutcomeCounts['reasons'],
        hosts: Object.fromEntries(byHost.map(({ host, producers }) => [host, Number(producers)])),
        labels: grouped(byLabel, ({ label }) => label).map(([label, rows]) => ({
          label,
          outcomes: outcomeCounts(rows),
        })),
        days: grouped(days, ({ day }) => day).map(([day, rows]) => ({
          day,
          outcomes: outcomeCounts(rows),
        })),
      };
    },

    /** Keeps today's shares, for the report. */
    keepDay: (day: string) =>
      inTransaction(database, async (transaction) => {
        const counts = await countsOf(transaction).select('outcome').groupBy('outcome').execute();
        await transaction.deleteFrom('producer_days').where('day', '=', day).execute();
        if (counts.length === 0) return;
        const rows = counts.map(({ outcome, producers }) => ({ day, outcome, producers: Number(producers) }));
        await transaction
          .insertInto('producer_days')
          .values(rows)
          .onConflict((conflict) =>
            conflict.columns(['day', 'outcome']).doUpdateSet((row) => ({ producers: row.ref('excluded.producers') })),
          )
          .execute();
      }),
  };
}

const counted = sql<number | string>`count(*)`.as('producers');

const countsOf = (database: Database) => database.selectFrom('producers').select(counted);

const noCounts = { pass: 0, partial: 0, fail: 0, unchecked: 0 };

const outcomeCounts = (rows: readonly { outcome: Outcome | 'unchecked'; producers: number | string }[]) => ({
  ...noCounts,
  ...(Object.fromEntries(rows.map(({ outcome, producers }) => [outcome, Number(producers)])) as Partial<
    typeof noCounts
  >),
});

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): [string, Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups];
}

const shownIds = (ids: readonly string[]) => ({ count: ids.length, producers: ids.slice(0, IDS_SHOWN_MAX) });

const toRecord = (row: Row): ProducerRecord => ({
  producerId: row.producer_id,
  host: row.host,
  organization: row.organization,
  primaryRepository: row.primary_repository,
  everyMs: row.every_seconds * 1_000,
  paused: row.paused === 1,
  labels: JSON.parse(row.labels) as string[],
  latest:
    row.outcome === 'unchecked' || row.reason === null
      ? null
      : {
          outcome: row.outcome,
          reasonCode: row.reason,
          message: row.message ?? '',
          checkedAt: row.checked_at ?? '',
          outcomeSince: row.outcome_since ?? '',
        },
  lastAttempt:
    row.attempted_at === null || row.attempt_reason === null
      ? null
      : { at: row.attempted_at, reasonCode: row.attempt_reason },
  nextCheckAt: row.next_check_at,
});

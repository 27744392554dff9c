import { type Kysely, sql } from 'kysely';
import { HostName } from '../../agents-md/code-host.ts';
import type { Producer } from '../../agents-md/producer.ts';
import { lockName } from '../../lib/sql/transactions.ts';
import type { Schema } from '../database.ts';

/** PostgreSQL allows 65,535 parameters in one statement, and SQLite 32,766. */
const ROWS_AT_ONCE = 500;
type Definition = ReturnType<typeof definitionOf>;

export function* chunks<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += ROWS_AT_ONCE) yield items.slice(start, start + ROWS_AT_ONCE);
}

/** Those who change many rows take turns: they would otherwise lock the same rows in different orders. */
export const lockCatalogue = (transaction: Kysely<Schema>): Promise<void> => lockName(transaction, 'producers');

/** The columns that the caller sets. */
export const definitionOf = (producer: Producer) => ({
  host: producer.host ?? HostName.github,
  organization: producer.organization ?? null,
  primary_repository: producer.primaryRepository ?? null,
  every_seconds: producer.everyMs / 1_000,
  paused: producer.paused ? 1 : 0,
  labels: JSON.stringify(producer.labels),
});

/** By ID, as JSON. @param producers undefined: of all rows */
export async function definitions(
  transaction: Kysely<Schema>,
  producers: readonly Producer[] | undefined,
): Promise<Map<string, string>> {
  const columns = [
    'producer_id',
    'host',
    'organization',
    'primary_repository',
    'every_seconds',
    'paused',
    'labels',
  ] as const;
  const query = transaction.selectFrom('producers').select(columns);
  const known = new Map<string, string>();
  const add = (rows: readonly (Definition & { producer_id: string })[]): void => {
    for (const { producer_id, ...definition } of rows) known.set(producer_id, JSON.stringify(definition));
  };
  if (producers === undefined) add(await query.execute());
  else {
    for (const some of chunks(producers)) {
      const ids = some.map(({ producerId }) => producerId);
      add(await query.where('producer_id', 'in', ids).execute());
    }
  }
  return known;
}

/** New producers are due at once, as are those that moved or were paused; a shorter interval holds at once. */
export async function writeAll(transaction: Kysely<Schema>, producers: readonly Producer[], at: string): Promise<void> {
  for (const some of chunks(producers)) {
    const ids = some.map(({ producerId }) => producerId);
    const rows = some.map((producer) => ({
      producer_id: producer.producerId,
      ...definitionOf(producer),
      organization_key: (producer.organization ?? '').toLowerCase(),
      repository_key: (producer.primaryRepository ?? '').toLowerCase(),
      outcome: 'unchecked' as const,
      next_check_at: producer.paused ? null : at,
    }));
    await transaction
      .insertInto('producers')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('producer_id').doUpdateSet((row) => ({
          host: row.ref('excluded.host'),
          organization: row.ref('excluded.organization'),
          primary_repository: row.ref('excluded.primary_repository'),
          organization_key: row.ref('excluded.organization_key'),
          repository_key: row.ref('excluded.repository_key'),
          every_seconds: row.ref('excluded.every_seconds'),
          paused: row.ref('excluded.paused'),
          labels: row.ref('excluded.labels'),
          next_check_at: sql<string | null>`case
            when excluded.paused = 0 and producers.paused = 0 and excluded.every_seconds = producers.every_seconds
              and excluded.host = producers.host and excluded.organization_key = producers.organization_key
              and excluded.repository_key = producers.repository_key then producers.next_check_at
            else excluded.next_check_at end`,
          // A paused producer would never answer.
          asked_at: sql<string | null>`case when excluded.paused = 0 then producers.asked_at end`,
        })),
      )
      .execute();
    await transaction.deleteFrom('producer_labels').where('producer_id', 'in', ids).execute();
    const labels = some.flatMap((producer) =>
      producer.labels.map((label) => ({ label, producer_id: producer.producerId })),
    );
    for (const few of chunks(labels)) await transaction.insertInto('producer_labels').values(few).execute();
  }
}

export async function removeAll(transaction: Kysely<Schema>, ids: readonly string[]): Promise<number> {
  let removed = 0;
  for (const some of chunks(ids)) {
    // A check that ends locks its row, then the producer's, and adds a result: in this order none is left.
    for (const table of ['agents_md_checks', 'producers', 'producer_labels', 'producer_results'] as const) {
      const { numDeletedRows } = await transaction
        .deleteFrom(table)
        .where('producer_id', 'in', some)
        .executeTakeFirst();
      if (table === 'producers') removed += Number(numDeletedRows);
    }
  }
  return removed;
}

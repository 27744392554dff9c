import type { Kysely } from 'kysely';
import { lastRetention } from './last-retention.ts';
import { gauge, type Labels } from '../metrics/metrics.ts';

export const retentionGauge = gauge<Labels>(
  'sendoff_retention_last_success_timestamp_seconds',
  'When all that was past its retention had last been removed; absent until then.',
);

/** Sets it from the database of the program. */
export async function showRetention<Schema>(database: Kysely<Schema>): Promise<void> {
  const retained = await lastRetention(database);
  if (retained !== undefined) retentionGauge.set(retained.getTime() / 1_000, {});
}

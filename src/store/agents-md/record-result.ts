import type { Kysely } from 'kysely';
import type { CheckResult } from '../../agents-md/check-result.ts';
import { isSameName } from '../../agents-md/code-host.ts';
import { nextCheckMs } from '../../agents-md/producer.ts';
import { SelectedBy } from '../../agents-md/select-repository.ts';
import type { Schema } from '../database.ts';

const RESULTS_MAX = 50;

/** Writes a result to the producer's row in the catalogue, if it has one and has not moved since, and sets its next check. */
export async function recordResult(transaction: Kysely<Schema>, result: CheckResult): Promise<void> {
  const { subject, outcome, reasonCode, checkedAt } = result;
  const { producerId } = subject;
  const row = await transaction
    .selectFrom('producers')
    .selectAll()
    .where('producer_id', '=', producerId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return;
  const isSame =
    row.host === subject.host &&
    isSameName(row.organization, subject.organization) &&
    (row.primary_repository === null
      ? subject.selectedBy !== SelectedBy.input
      : isSameName(row.primary_repository, subject.primaryRepository));
  if (!isSame) return;
  const spacing = { isConclusive: outcome !== null, isFirst: row.checked_at === null };
  const delayMs = nextCheckMs(row.every_seconds * 1_000, spacing, Math.random());
  // A check that was under way when it was asked for again does not answer that request: the producer stays due.
  const isAskedSince = row.asked_at !== null && row.asked_at > checkedAt;
  const afterwards = row.paused === 1 ? null : new Date(Date.parse(checkedAt) + delayMs).toISOString();
  const nextCheckAt = isAskedSince ? row.next_check_at : afterwards;
  await transaction
    .updateTable('producers')
    .set({
      attempted_at: checkedAt,
      attempt_reason: reasonCode,
      next_check_at: nextCheckAt,
      ...(outcome === null
        ? {}
        : {
            outcome,
            reason: reasonCode,
            message: result.message,
            checked_at: checkedAt,
            outcome_since: row.outcome === outcome ? row.outcome_since : checkedAt,
          }),
    })
    .where('producer_id', '=', producerId)
    .execute();
  if (outcome === null) return;
  await transaction
    .insertInto('producer_results')
    .values({ producer_id: producerId, checked_at: checkedAt, outcome, reason: reasonCode })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await transaction
    .deleteFrom('producer_results')
    .where('producer_id', '=', producerId)
    .where('checked_at', '<', (oldest) =>
      oldest
        .selectFrom('producer_results')
        .select('checked_at')
        .where('producer_id', '=', producerId)
        .orderBy('checked_at', 'desc')
        .limit(1)
        .offset(RESULTS_MAX - 1),
    )
    .execute();
}

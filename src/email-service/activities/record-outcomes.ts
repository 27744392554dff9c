import { setTimeout as sleep } from 'node:timers/promises';
import type { Sealer } from '../../lib/sealing.ts';
import { createJudgeBounces, type JudgeBouncesDependencies } from './judge-bounces.ts';
import { type Attempted, isJudged, RECORD_RETRY_MS, settleAttempt } from './settle-attempt.ts';

export interface RecordOutcomesOptions extends Omit<JudgeBouncesDependencies, 'beginner'> {
  readonly sealer: Sealer;
  /** A time of `performance.now()`; at least one try is made. */
  readonly lastTryAt: number;
}

/** What it adds to the outbox is left to the sweep of another process. */
const BEGINS_NOTHING = { makesFirstAttempts: false, begin: () => undefined };

/**
 * Records the outcomes that Activities could not: the next process knows only the database and would send an accepted
 * message again. Call it after the Workers have stopped.
 */
export async function recordOutcomes(
  unrecorded: Map<string, Attempted>,
  options: RecordOutcomesOptions,
): Promise<void> {
  const { logger, now, lastTryAt } = options;
  const judgeBounces = createJudgeBounces({ ...options, beginner: BEGINS_NOTHING });
  const bounced: string[] = [];
  let cause: unknown;
  const record = async (attempted: Attempted): Promise<void> => {
    const { email } = attempted;
    const at = now();
    try {
      const remainingMs = Date.parse(email.expires_at) - at.getTime();
      await settleAttempt(options, attempted, { now: at, remainingMs, claimed: false });
      unrecorded.delete(email.id);
      if (isJudged(attempted)) bounced.push(email.account_id);
    } catch (error) {
      cause = error;
    }
  };
  for (;;) {
    // Concurrently, so that they wait for a lock together.
    await Promise.all([...unrecorded.values()].map(record));
    if (unrecorded.size === 0 || performance.now() + RECORD_RETRY_MS > lastTryAt) break;
    await sleep(RECORD_RETRY_MS);
  }
  // Last, because it may wait for locks, too.
  for (const accountId of bounced) await judgeBounces(accountId);
  if (unrecorded.size === 0) return;
  logger.error(
    { err: cause, count: unrecorded.size, emailIds: [...unrecorded.keys()] },
    'cannot record the outcomes of delivery attempts before shutdown; these emails may be sent again',
  );
}

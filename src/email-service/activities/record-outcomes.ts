import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Sealer } from '../../lib/sealing.ts';
import type { Store } from '../store/open-store.ts';
import { settleAttempt, type Attempted } from './settle-attempt.ts';

export interface RecordOutcomesOptions {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly logger: Logger;
  readonly now: () => Date;
  /** A time of `performance.now()`; at least one try is made. */
  readonly lastTryAt: number;
}

/** A write itself waits some seconds for a lock; other errors are immediate. */
const BETWEEN_TRIES_MS = 500;

/**
 * Records the outcomes that Activities could not: the next process knows only the database and would send an accepted
 * message again. Call it after the Workers have stopped.
 */
export async function recordOutcomes(
  unrecorded: Map<string, Attempted>,
  { store, sealer, logger, now, lastTryAt }: RecordOutcomesOptions,
): Promise<void> {
  let cause: unknown;
  const record = async (attempted: Attempted): Promise<void> => {
    const { email } = attempted;
    const at = now();
    try {
      const remainingMs = Date.parse(email.expires_at) - at.getTime();
      await settleAttempt({ store, sealer }, attempted, { now: at, remainingMs, claimed: false });
      unrecorded.delete(email.id);
    } catch (error) {
      cause = error;
    }
  };
  for (;;) {
    // Concurrently, so that they wait for a lock together.
    await Promise.all([...unrecorded.values()].map(record));
    if (unrecorded.size === 0) return;
    if (performance.now() + BETWEEN_TRIES_MS > lastTryAt) break;
    await sleep(BETWEEN_TRIES_MS);
  }
  logger.error(
    { err: cause, count: unrecorded.size, emailIds: [...unrecorded.keys()] },
    'cannot record the outcomes of delivery attempts before shutdown; these emails may be sent again',
  );
}

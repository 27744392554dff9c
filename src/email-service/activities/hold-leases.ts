// After the final dot nothing can be taken back, so before it the database must confirm the lease. A process that was stopped or cut off
// ends its session without the dot in time. Webhooks have no lease: their receivers must accept repetitions.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { followAbort } from '../../lib/timing/follow-abort.ts';
import { createRepetitionFilter } from '../../lib/repetition-filter.ts';
import { holdsLease, renewLeases } from '../store/attempt-leases.ts';
import type { Store } from '../store/open-store.ts';
export interface AttemptLeases {
  /** This process. */
  readonly holder: string;
  /**
   * @param begunAt a time of `performance.now()` before the attempt began
   * @param cancelled aborts the attempt too
   */
  readonly hold: (emailId: string, begunAt: number, cancelled: AbortSignal) => AttemptLease;
  /** Renews all of them. Call it every two seconds while one is held; never throws. */
  readonly renewSoon: () => void;
}

export interface AttemptLease {
  /** Aborts when another process may begin the next attempt soon, or this one was cancelled. */
  readonly signal: AbortSignal;
  /** Asks the database, and renews the lease if it ends soon. False if that failed, and nothing may be sent. */
  readonly mayStillSend: () => Promise<boolean>;
  readonly release: () => void;
}

/** By this process's clock; half a lease, so that its session has ended before another process may begin one. */
const UNRENEWED_MAX_MS = 5_000;
/** All attempts ask for renewals; one query renews the leases of all. */
const RENEW_INTERVAL_MS = 1_000;

interface HeldLease {
  readonly emailId: string;
  renewedAt: number;
  /** Aborted once the lease is lost. */
  readonly attempt: AbortController;
}

function loseIfOld({ renewedAt, attempt }: HeldLease): void {
  if (performance.now() - renewedAt >= UNRENEWED_MAX_MS) attempt.abort();
}

export function createAttemptLeases({ store, logger }: { store: Store; logger: Logger }): AttemptLeases {
  const holder = randomUUID();
  const held = new Set<HeldLease>();
  let nextRenewalAt = 0;
  const leftOutOf = createRepetitionFilter();

  async function renew(leases: readonly HeldLease[]): Promise<void> {
    const askedAt = performance.now();
    const kept = await renewLeases(
      store,
      holder,
      leases.map(({ emailId }) => emailId),
    );
    for (const lease of leases) {
      if (kept.has(lease.emailId)) lease.renewedAt = Math.max(lease.renewedAt, askedAt);
      else lease.attempt.abort();
    }
  }

  /** A read costs no commit, and most messages are sent long before the lease ends. */
  async function renewIfNeeded(lease: HeldLease): Promise<void> {
    if (!(await holdsLease(store, holder, lease.emailId))) await renew([lease]);
  }

  function logFailure(error: unknown): void {
    const leftOut = leftOutOf('renew');
    if (leftOut !== undefined)
      logger.warn({ err: error, attempts: held.size, leftOut }, 'cannot renew the leases of delivery attempts');
  }

  return {
    holder,
    hold: (emailId, begunAt, cancelled) => {
      const attempt = followAbort(cancelled);
      const { signal } = attempt;
      const lease = { emailId, renewedAt: begunAt, attempt };
      held.add(lease);
      return {
        signal,
        mayStillSend: async () => {
          if (signal.aborted) return false;
          const aborted = once(signal, 'abort');
          const renewal = renewIfNeeded(lease).catch((error: unknown) => {
            logFailure(error);
            attempt.abort();
          });
          // A database that does not answer must not delay the end of the session.
          await Promise.race([renewal, aborted]);
          loseIfOld(lease);
          return !signal.aborted;
        },
        release: () => {
          held.delete(lease);
          // Removes the listener from `cancelled`.
          attempt.abort();
        },
      };
    },
    renewSoon: () => {
      const askedAt = performance.now();
      held.forEach(loseIfOld);
      if (held.size === 0 || askedAt < nextRenewalAt) return;
      // A query without an answer holds up the next one only for this long.
      nextRenewalAt = askedAt + UNRENEWED_MAX_MS;
      void renew([...held])
        .catch(logFailure)
        .then(() => {
          nextRenewalAt = askedAt + RENEW_INTERVAL_MS;
        });
    },
  };
}

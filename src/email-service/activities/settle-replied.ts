import { setTimeout as sleep } from 'node:timers/promises';
import type { Sealer } from '../../lib/sealing.ts';
import { createRepetitionFilter } from '../../lib/repetition-filter.ts';
import { createJudgeBounces, type JudgeBouncesDependencies } from './judge-bounces.ts';
import type { Turns } from '../../lib/timing/turns.ts';
import { type AttemptContext, remainingMs } from './attempt-context.ts';
import { type Attempted, isJudged, RECORD_RETRY_MS, settleAttempt, type SettledAttempt } from './settle-attempt.ts';

export interface SettleRepliedDependencies extends JudgeBouncesDependencies {
  readonly sealer: Sealer;
  /** By email id: outcomes not in the database yet. At shutdown, `recordOutcomes` records what is left. */
  readonly unrecorded: Map<string, Attempted>;
}

/** How long after the email's expiry its last outcome may still be recorded. */
const RECORD_LATE_MS = 10 * 60_000;

/**
 * @param turns of each account
 * @returns a function that settles an attempt, and keeps it in `unrecorded` until the database has it
 */
export function createSettleReplied(dependencies: SettleRepliedDependencies, turns: Turns) {
  const { beginner, unrecorded, logger, now } = dependencies;
  const judgeBounces = createJudgeBounces(dependencies);
  const leftOutOf = createRepetitionFilter();

  /** After a failure, Temporal would give the email to another process, which does not know that the message was accepted. */
  async function settleOrWait(attempted: Attempted, run: AttemptContext): Promise<SettledAttempt> {
    const { email, number, result } = attempted;
    for (;;) {
      const endTurn = await turns.begin(email.account_id);
      try {
        const at = now();
        const claimed = beginner.makesFirstAttempts;
        return await settleAttempt(dependencies, attempted, {
          now: at,
          remainingMs: remainingMs(email, at, run),
          claimed,
        });
      } catch (error) {
        if (result.kind !== 'delivered' || run.isShuttingDown()) throw error;
        const leftOut = leftOutOf('record');
        if (leftOut !== undefined)
          logger.error({ err: error, emailId: email.id, attempt: number, leftOut }, 'cannot record a delivery yet');
      } finally {
        endTurn();
      }
      await sleep(RECORD_RETRY_MS);
    }
  }

  /** Another process may end the email, and this one never get it again. */
  function forgetWhenExpired(attempted: Attempted): void {
    const { id, expires_at: expiresAt } = attempted.email;
    const forget = (): void => {
      if (unrecorded.get(id) === attempted) unrecorded.delete(id);
    };
    setTimeout(forget, Math.max(Date.parse(expiresAt) - now().getTime(), 0) + RECORD_LATE_MS).unref();
  }

  /** @throws ApplicationFailure that schedules the next attempt */
  return async (attempted: Attempted, run: AttemptContext) => {
    unrecorded.set(attempted.email.id, attempted);
    const settled = await settleOrWait(attempted, run).catch((error: unknown) => {
      forgetWhenExpired(attempted);
      throw error;
    });
    unrecorded.delete(attempted.email.id);
    settled.posts.forEach(beginner.begin);
    if (!('status' in settled)) throw settled.retry;
    if (isJudged(attempted)) await judgeBounces(attempted.email.account_id);
    return settled.status;
  };
}

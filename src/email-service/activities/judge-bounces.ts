import type { Logger } from 'pino';
import type { Outcomes } from '../resources/account.ts';
import { type ChangeToRecord, pauseAccount, recentOutcomes, warnAccount } from '../store/account-pauses.ts';
import type { Store } from '../store/open-store.ts';
import type { FirstAttempt, OutboxStarter } from '../store/outbox.ts';

export interface JudgeBouncesDependencies {
  readonly store: Store;
  readonly beginner: OutboxStarter;
  /** The share of hard bounces at which an account is paused; undefined: none is. */
  readonly pauseBounceRate: number | undefined;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Emails with an outcome; below them one bounce would be too large a share. */
const VOLUME_MIN = 100;
/**
 * When half of the emails bounce, so few are enough: of accounts whose rate is 10 %, that happens to one in a hundred thousand. A list of dead
 * addresses does no more harm until then.
 */
const DEAD_LIST = { rate: 0.5, volume: 20 };
/** As at Amazon SES, where an account is under review from half the rate on that pauses it. Also of the emails. */
const WARNED_FROM = 0.5;

export type Verdict = 'pause' | 'warn' | undefined;

export function verdictOf({ delivered, bounced }: Outcomes, pauseRate: number): Verdict {
  const volume = delivered + bounced;
  const rate = bounced / volume;
  const limits = [
    { rate: pauseRate, volume: VOLUME_MIN },
    { ...DEAD_LIST, rate: Math.max(DEAD_LIST.rate, pauseRate) },
  ];
  const reaches = (part: number): boolean =>
    limits.some((limit) => rate >= part * limit.rate && volume >= part * limit.volume);
  if (reaches(1)) return 'pause';
  return reaches(WARNED_FROM) ? 'warn' : undefined;
}

/** @returns a function to call after a hard bounce was recorded: it warns or pauses the account. What fails is done after the next bounce. */
export function createJudgeBounces(dependencies: JudgeBouncesDependencies): (accountId: string) => Promise<void> {
  const { store, beginner, pauseBounceRate, logger, now } = dependencies;

  async function judge(accountId: string, pauseRate: number): Promise<void> {
    const at = now();
    const outcomes = await recentOutcomes(store, accountId, at);
    const verdict = verdictOf(outcomes, pauseRate);
    if (verdict === undefined) return;
    const change: ChangeToRecord = {
      ...{ accountId, now: at, claimed: beginner.makesFirstAttempts },
      ...{ by: 'bounce_rate', reason: reasonOf(outcomes, pauseRate) },
    };
    const announce = (posts: readonly FirstAttempt[], message: string): void => {
      logger.warn({ accountId, ...outcomes, reason: change.reason }, message);
      posts.forEach(beginner.begin);
    };
    // Whatever the order of outcomes: a pause comes one bounce after the warning at the earliest.
    const warned = await warnAccount(store, change);
    if (warned !== undefined) {
      announce(warned, 'an account will be paused if its bounces go on');
      return;
    }
    if (verdict !== 'pause') return;
    const paused = await pauseAccount(store, change);
    if (paused !== undefined) announce(paused, 'paused an account');
  }

  return async (accountId) => {
    if (pauseBounceRate === undefined) return;
    await judge(accountId, pauseBounceRate).catch((error: unknown) => {
      logger.error({ err: error, accountId }, 'cannot judge the bounces of an account');
    });
  };
}

const reasonOf = ({ delivered, bounced }: Outcomes, pauseRate: number): string =>
  `${bounced} of ${delivered + bounced} emails in 24 hours bounced because their address is refused for good; an account is paused at ${percent(pauseRate)}.`;

const percent = (rate: number): string => `${Number((rate * 100).toFixed(2))} %`;

import type { Logger } from 'pino';
import { BY_BOUNCE_RATE, type Outcomes } from '../resources/account.ts';
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
/** How long a warning holds: for another one, and for a pause, which may come a day later when few emails bounce. */
const WARNED_FOR_HOURS = { warn: 24, pause: 48 };

export type BounceVerdict = 'pause' | 'warn' | undefined;

const limitsOf = (pauseRate: number) => [
  { rate: pauseRate, volume: VOLUME_MIN },
  { ...DEAD_LIST, rate: Math.max(DEAD_LIST.rate, pauseRate) },
];

export function verdictOf({ delivered, bounced }: Outcomes, pauseRate: number): BounceVerdict {
  const volume = delivered + bounced;
  const rate = bounced / volume;
  const reaches = (part: number): boolean =>
    limitsOf(pauseRate).some((limit) => rate >= part * limit.rate && volume >= part * limit.volume);
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
      ...{ by: BY_BOUNCE_RATE, reason: reasonOf(outcomes, pauseRate) },
    };
    const announce = (posts: readonly FirstAttempt[], message: string): void => {
      logger.warn({ accountId, ...outcomes, reason: change.reason }, message);
      posts.forEach(beginner.begin);
    };
    // Also if nothing was to be warned of before: the next bounce pauses it.
    const warned = await warnAccount(store, change, WARNED_FOR_HOURS[verdict]);
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

const reasonOf = ({ delivered, bounced }: Outcomes, pauseRate: number): string => {
  const limits = limitsOf(pauseRate).map(({ rate, volume }) => `${percent(rate)} of ${volume}`);
  return `${bounced} of ${delivered + bounced} emails in 24 hours bounced because their address is refused for good; an account is paused from ${limits.join(' or ')} on.`;
};

const percent = (rate: number): string => `${Number((rate * 100).toFixed(2))} %`;

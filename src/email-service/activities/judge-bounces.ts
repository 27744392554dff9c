import type { Logger } from 'pino';
import type { Outcomes } from '../resources/account.ts';
import { type ChangeToRecord, pauseAccount, recentOutcomes, warnAccount } from '../store/account-pauses.ts';
import type { Store } from '../store/open-store.ts';
import type { OutboxStarter } from '../store/outbox.ts';

export interface JudgeBouncesDependencies {
  readonly store: Store;
  readonly beginner: OutboxStarter;
  /** The share of hard bounces at which an account is paused; undefined: none is. */
  readonly pauseBounceRate: number | undefined;
  readonly logger: Logger;
  readonly now: () => Date;
}

/** Emails with an outcome; below them one bounce would be too large a share. The warning needs fewer, so that it always comes first. */
const WARN_VOLUME_MIN = 50;
const PAUSE_VOLUME_MIN = 100;
/** As at Amazon SES: an account is under review from half the rate on that pauses it. */
const WARN_SHARE = 0.5;

export type Verdict = 'pause' | 'warn' | undefined;

export function verdictOf({ delivered, bounced }: Outcomes, pauseRate: number): Verdict {
  const volume = delivered + bounced;
  const rate = bounced / volume;
  if (volume >= PAUSE_VOLUME_MIN && rate >= pauseRate) return 'pause';
  if (volume >= WARN_VOLUME_MIN && rate >= WARN_SHARE * pauseRate) return 'warn';
  return undefined;
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
    const posts = await (verdict === 'pause' ? pauseAccount(store, change) : warnAccount(store, change));
    if (posts === undefined) return;
    const message = verdict === 'pause' ? 'paused an account' : 'an account will be paused if its bounces go on';
    logger.warn({ accountId, ...outcomes, reason: change.reason }, message);
    posts.forEach(beginner.begin);
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

/** In how long a process takes what an account may send in a minute. */
const MINUTE_TAKES_MS = 30_000;
/** 20 a second, as at the default limit of 600: a small limit is no reason to wait, and what is refused is refused at this pace. */
const INTERVAL_MAX_MS = 50;
/** Taken at once. */
const BURST = 10;
/** Below the time-outs of HTTP clients. */
const DELAY_MAX_MS = 5_000;
/** An account beyond these is not remembered. */
const ACCOUNTS_MAX = 10_000;

export interface Sending {
  readonly accountId: string;
  /** How many emails the account may send in a minute; 0 if it may send none now. */
  readonly minuteLimit: number;
  readonly emails: number;
}

/**
 * @param clock milliseconds, only for differences
 * @returns a function that counts emails of an account, accepted or not, and says in how many milliseconds the first of them is due
 */
export function createSendingPace(clock: () => number = () => performance.now()): (sending: Sending) => number {
  /** When the next email is due. Oldest first. */
  const nextAt = new Map<string, number>();
  return ({ accountId, minuteLimit, emails }) => {
    const now = clock();
    const intervalMs = Math.min(INTERVAL_MAX_MS, MINUTE_TAKES_MS / minuteLimit);
    const due = Math.max(nextAt.get(accountId) ?? -Infinity, now - BURST * intervalMs);
    nextAt.delete(accountId);
    nextAt.set(accountId, Math.min(due + emails * intervalMs, now + DELAY_MAX_MS));
    const [oldest] = nextAt.keys();
    if (nextAt.size > ACCOUNTS_MAX && oldest !== undefined) nextAt.delete(oldest);
    return Math.max(0, due - now);
  };
}

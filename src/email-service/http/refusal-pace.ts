/** Each refusal that an account is not entitled to at once waits for its time: 20 a second of each account in this process. */
const INTERVAL_MS = 50;
/** Refused at once, for a program that sends some more before it heeds a refusal. */
const BURST = 20;
/** Below the time-outs of HTTP clients. */
const DELAY_MAX_MS = 5_000;
/** An account beyond these is not remembered. */
const ACCOUNTS_MAX = 10_000;

/**
 * @param clock milliseconds, only for differences
 * @returns a function that counts a refusal of an account and says in how many milliseconds it is to be answered
 */
export function createRefusalPace(clock: () => number = () => performance.now()): (accountId: string) => number {
  /** When the next refusal is due. Oldest refusal first. */
  const nextAt = new Map<string, number>();
  return (accountId) => {
    const now = clock();
    const due = Math.max(nextAt.get(accountId) ?? -Infinity, now - BURST * INTERVAL_MS);
    nextAt.delete(accountId);
    nextAt.set(accountId, Math.min(due + INTERVAL_MS, now + DELAY_MAX_MS));
    const [oldest] = nextAt.keys();
    if (nextAt.size > ACCOUNTS_MAX && oldest !== undefined) nextAt.delete(oldest);
    return Math.max(0, due - now);
  };
}

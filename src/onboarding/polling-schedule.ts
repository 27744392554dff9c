// How long to wait until the next look, as a share of the time already waited: news soon after a change is likely,
// news after two days is not, and 72 hours stay under 60 calls.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** DNS propagation takes minutes to hours: about 49 looks in 72 hours. */
export const nextDomainCheckMs = (elapsedMs: number): number => clamp(elapsedMs / 5, MINUTE_MS, 4 * HOUR_MS);

/** Most mail is delivered within seconds; greylisting and retries take minutes to hours. */
export const nextDeliveryCheckMs = (elapsedMs: number): number => clamp(elapsedMs / 5, 2 * SECOND_MS, 15 * MINUTE_MS);

/**
 * The pause before the domain is asked for and POST /senders is tried again, after the provider refused it although it
 * had said `verified`; undefined when that is no longer worth it (exit F2): at the sixth refusal, or when the
 * verification window is over. A pause ends with the window at the latest.
 *
 * @param times how often it was refused, 1 for the first
 * @param timeLeftMs until the verification deadline; negative after it
 */
export function pauseAfterNotVerifiedMs(times: number, timeLeftMs: number): number | undefined {
  const pausesMs = [0, 0, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS];
  const pauseMs = pausesMs[times - 1];
  return pauseMs === undefined || timeLeftMs <= 0 ? undefined : Math.min(pauseMs, timeLeftMs);
}

/** The look that decides about F1 is repeated while it is not conclusive. */
export const nextDecidingCheckMs = (elapsedMs: number): number => clamp(elapsedMs / 5, 5 * SECOND_MS, 30 * MINUTE_MS);

/**
 * How many looks a round of a wait makes, from its beginning to its end, both counted from the beginning of the wait.
 * The history of a round that was interrupted does not tell; by the schedule it is known but for its jitter.
 */
export function checksBetween(fromMs: number, toMs: number, nextCheckMs: (elapsedMs: number) => number): number {
  let looks = 1;
  for (let at = fromMs + nextCheckMs(0); at <= toMs; at += nextCheckMs(at)) looks++;
  return looks;
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

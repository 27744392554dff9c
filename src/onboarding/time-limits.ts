// How long an onboarding waits, and for what. The delay before the next check is a share of the time already waited: a change soon after
// the start is likely, one after two days is not, and 72 hours take fewer than 60 checks.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long the delivery of the first email is awaited. */
export const DELIVERY_WINDOW_HOURS = 72;

/** The outage that a step, or a final check, survives; a longer one ends the onboarding as ProviderUnavailable. */
export const PATIENCE_HOURS = 24;

/** Each undo has its own limit, longer than most outages, so that one that cannot succeed is reported and the next still runs. */
export const UNDO_PATIENCE_HOURS = 6;

/**
 * The same as PATIENCE_HOURS at an operator's account: the quota of a month may be used up, which concerns every tenant and is the fault of none.
 */
export const ACCOUNT_PATIENCE_DAYS = 35;

/** An answer that ends an onboarding must repeat this often over this time: faults of a proxy or a lagging replica are temporary. */
export const CONFIRMED_TIMES = 3;
export const CONFIRMED_AFTER_MS = 5 * MINUTE_MS;

/** How long before the verification window closes the backend is reminded; only of a longer window, because the start has just announced a shorter one. */
export const REMINDER_MS = 24 * HOUR_MS;

/**
 * How long a repeated claim of the tenant's API key gets the token again: long enough to repeat a request whose answer was lost; short, because the
 * token is a credential.
 */
export const CLAIM_REPLAY_MS = MINUTE_MS;

/** DNS changes take minutes to hours: about 49 checks in 72 hours. */
export const nextDomainCheckMs = (elapsedMs: number): number => clamp(elapsedMs / 5, MINUTE_MS, 4 * HOUR_MS);

/** When a provider is asked although our own look at the zone finds a required record missing: the look may be wrong. */
export const ASK_ANYWAY_AFTER_MS = 24 * HOUR_MS;

/** Between two questions to a provider that checks the DNS itself, which usually takes it minutes. */
export const pauseAfterAskMs = (asked: number): number => Math.min(10 * SECOND_MS * 2 ** asked, HOUR_MS);

/** Most email is delivered within seconds; greylisting and retries take minutes to hours. */
export const nextDeliveryCheckMs = (elapsedMs: number): number => clamp(elapsedMs / 5, 2 * SECOND_MS, 15 * MINUTE_MS);

/** How long an email whose answer was lost is looked for at a provider that does not recognize a repeated request. */
export const LOOK_FOR_EMAIL_MS = 24 * HOUR_MS;

/** Until an email whose answer was lost is looked for again. @param settleMs when the provider usually shows it */
export const nextEmailLookMs = (elapsedMs: number, settleMs: number): number =>
  elapsedMs < settleMs ? 15 * SECOND_MS : 15 * MINUTE_MS;

/** One pause fewer than refusals end in F2. */
const PAUSES_AFTER_REFUSAL_MS = [0, 0, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS];

/**
 * The pause before POST /senders is tried again, after the provider refused the sender of a domain that it reported as
 * verified. Returns undefined after the sixth refusal or at the deadline; the caller then fails with F2.
 *
 * @param times the number of refusals, 1 for the first
 * @param timeLeftMs until the verification deadline; negative after it
 */
export function pauseAfterNotVerifiedMs(times: number, timeLeftMs: number): number | undefined {
  const pauseMs = PAUSES_AFTER_REFUSAL_MS[times - 1];
  return pauseMs === undefined || timeLeftMs <= 0 ? undefined : Math.min(pauseMs, timeLeftMs);
}

/** For the final check, which is repeated while it is inconclusive. */
export const nextDecidingCheckMs = (elapsedMs: number): number => clamp(elapsedMs / 5, 5 * SECOND_MS, 30 * MINUTE_MS);

/**
 * Estimates from the schedule how many checks an interrupted round made; its history does not record them. Both times count from the start of the wait.
 */
export function checksBetween(fromMs: number, toMs: number, nextCheckMs: (elapsedMs: number) => number): number {
  let checks = 1;
  for (let at = fromMs + nextCheckMs(0); at <= toMs; at += nextCheckMs(at)) checks++;
  return checks;
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

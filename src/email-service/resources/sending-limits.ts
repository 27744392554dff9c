/** The windows in which the emails of an account are counted. */
export const WINDOWS = [
  { name: 'minute', seconds: 60 },
  { name: 'hour', seconds: 3_600 },
  { name: 'day', seconds: 86_400 },
] as const;

type WindowName = (typeof WINDOWS)[number]['name'];

/** How many emails an account may send in each window. */
export type SendingLimits = Readonly<Record<WindowName, number>>;

/** Fits the counters of both databases, and the numbers of JSON. */
export const LIMIT_MAX = 1_000_000_000;

/** What one account has sent of one limit. */
export interface WindowUse {
  readonly name: WindowName;
  readonly seconds: number;
  readonly limit: number;
  /** When it began, in milliseconds by the database's clock; infinite if the next email begins it. */
  readonly openSince: number;
  readonly used: number;
  /** Until the window ends, and with it the count. */
  readonly endsInSeconds: number;
}

/** draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4: `q` emails in `w` seconds, of which `r` are left for `t` seconds. */
export const rateLimitFields = (uses: readonly WindowUse[]): Readonly<Record<string, string>> => ({
  'ratelimit-policy': uses.map(({ name, limit, seconds }) => `"${name}";q=${limit};w=${seconds}`).join(', '),
  ratelimit: uses
    .map(({ name, limit, used, endsInSeconds }) => `"${name}";r=${Math.max(limit - used, 0)};t=${endsInSeconds}`)
    .join(', '),
});

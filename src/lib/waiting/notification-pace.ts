// Leaf library for the receiver of webhooks and for waiting Workflows: how close together notifications are acted on. The
// first few come at once; a storm says nothing new, and each notification that is acted on costs history events.

/** A leaky bucket: each notification adds one to the level, each quiet hour takes one away. */
export interface NotificationPace {
  readonly level: number;
  /** When the last notification was acted on, milliseconds since the epoch; -Infinity before the first. */
  readonly lastAt: number;
}

export const restingPace: NotificationPace = { level: 0, lastAt: Number.NEGATIVE_INFINITY };

const INTERVAL_MS = 5_000;
/** Above this level the interval doubles. An onboarding's real events are two or three. */
const BURST = 5;
/** Polls are at most four hours apart, so a longer interval delays no answer further. */
const INTERVAL_MS_MAX = 12 * 3_600_000;
const LEAK_MS = 3_600_000;

/** When the next notification may be acted on. The interval is never longer than the storm has lasted. */
export const nextNotificationAt = ({ level, lastAt }: NotificationPace): number => lastAt + intervalMs(level);

export function paceAfterNotification({ level, lastAt }: NotificationPace, now: number): NotificationPace {
  const quietMs = now - lastAt;
  // A storm fills every interval, however long: only a much longer pause is quiet.
  const leaked = quietMs >= 2 * intervalMs(level) ? Math.floor(quietMs / LEAK_MS) : 0;
  return { level: Math.max(0, level - leaked) + 1, lastAt: now };
}

const intervalMs = (level: number): number => Math.min(INTERVAL_MS * 2 ** Math.max(0, level - BURST), INTERVAL_MS_MAX);

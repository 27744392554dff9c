// Leaf library for the receiver of webhooks and for waiting Workflows: how close together wake-ups are acted on. The
// first few come at once; a storm says nothing new, and each wake-up that is acted on costs history events.

/** A leaky bucket: each wake-up adds one to the level, each quiet hour takes one away. */
export interface WakeUpPace {
  readonly level: number;
  /** When the last wake-up was acted on, milliseconds since the epoch; -Infinity before the first. */
  readonly lastAt: number;
}

export const restingPace: WakeUpPace = { level: 0, lastAt: Number.NEGATIVE_INFINITY };

const INTERVAL_MS = 5_000;
/** Above this level the interval doubles. An onboarding's real events are two or three. */
const BURST = 5;
/** Polls are at most four hours apart, so a longer interval delays no answer further. */
const INTERVAL_MS_MAX = 12 * 3_600_000;
const LEAK_MS = 3_600_000;

/** When the next wake-up may be acted on. The interval is never longer than the storm has lasted. */
export const nextWakeUpAt = ({ level, lastAt }: WakeUpPace): number => lastAt + intervalMs(level);

export function paceAfterWakeUp({ level, lastAt }: WakeUpPace, now: number): WakeUpPace {
  const quietMs = now - lastAt;
  // A storm fills every interval, however long: only a much longer pause is quiet.
  const leaked = quietMs >= 2 * intervalMs(level) ? Math.floor(quietMs / LEAK_MS) : 0;
  return { level: Math.max(0, level - leaked) + 1, lastAt: now };
}

const intervalMs = (level: number): number => Math.min(INTERVAL_MS * 2 ** Math.max(0, level - BURST), INTERVAL_MS_MAX);

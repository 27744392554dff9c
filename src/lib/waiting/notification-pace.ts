// Leaf library for the receiver of webhooks and for waiting Workflows: how close together hints are acted on. A few are
// always worth it; a storm of them says nothing new, and each one that is acted on costs history events.

/** How far one storm has gone. A new one is made for each hint that is acted on. */
export interface HintPace {
  /** Hints acted on, less what quiet has taken back. */
  readonly level: number;
  /** Milliseconds since the epoch of the last one; -Infinity before the first. */
  readonly lastAt: number;
}

export const restingPace: HintPace = { level: 0, lastAt: Number.NEGATIVE_INFINITY };

const INTERVAL_MS = 5_000;
/** An onboarding's real events are two or three: twice as many never wait longer than the shortest interval. */
const UNHURRIED_HINTS = 5;
/** The polls of a wait are at most four hours apart, so a longer interval delays no answer further. */
const INTERVAL_MAX_MS = 12 * 3_600_000;
/** Each hour without a hint takes one step back. */
const QUIET_MS = 3_600_000;

/** When the next hint may be acted on, in milliseconds since the epoch. Never later than as long as the storm lasted. */
export const nextHintAt = ({ level, lastAt }: HintPace): number => lastAt + intervalMs(level);

/** The pace once a hint was acted on at `now`. */
export function paceAfterHint(pace: HintPace, now: number): HintPace {
  const quietMs = now - pace.lastAt;
  // In a storm the next hint is acted on as soon as it may be: only what came much later came after quiet.
  const wasQuiet = quietMs >= 2 * intervalMs(pace.level);
  const level = wasQuiet ? Math.max(0, pace.level - Math.floor(quietMs / QUIET_MS)) : pace.level;
  return { level: level + 1, lastAt: now };
}

const intervalMs = (level: number): number =>
  Math.min(INTERVAL_MS * 2 ** Math.max(0, level - UNHURRIED_HINTS), INTERVAL_MAX_MS);

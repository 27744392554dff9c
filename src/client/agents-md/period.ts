import { durationMs } from '../../lib/duration.ts';

const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 } as const;

/** In whole seconds, as in Schedules; undefined if it is not a duration. */
export function periodMs(period: string): number | undefined {
  const ms = durationMs(period);
  return ms === undefined ? undefined : Math.round(ms / 1_000) * 1_000;
}

/** `7d`, `36h`, `90m`: in the largest unit without a fraction. */
export function shownPeriod(ms: number): string {
  const unit = (['d', 'h', 'm'] as const).find((name) => ms >= UNITS[name] && ms % UNITS[name] === 0) ?? 's';
  return `${ms / UNITS[unit]}${unit}`;
}

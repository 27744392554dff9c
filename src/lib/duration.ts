// Durations as people write them, for every option and field that takes one.

const UNIT_MS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const DURATION = /^(\d+(?:\.\d+)?) ?(s|seconds?|m|minutes?|h|hours?|d|days?)$/;

export const DURATION_FORMS =
  'a number and d, h, m or s, or days, hours, minutes or seconds: 3d, 72h, "3 days", "1.5 hours"';

/** Milliseconds of `72 hours`, `3d`, `90s`; undefined if it is not a duration. */
export function durationMs(duration: string): number | undefined {
  const [, amount, unit = ''] = DURATION.exec(duration) ?? [];
  if (amount === undefined) return undefined;
  const [, ms = 0] = Object.entries(UNIT_MS).find(([name]) => name.startsWith(unit.charAt(0))) ?? [];
  return Number(amount) * ms;
}

/** In the largest unit that gives a whole number: `72 hours`, `90 seconds`. */
export function inWords(ms: number): string {
  const unit = (['hour', 'minute'] as const).find((name) => {
    const amount = ms / UNIT_MS[name];
    return amount >= 1 && Math.abs(amount - Math.round(amount)) < 0.01;
  });
  const amount = Math.round(ms / UNIT_MS[unit ?? 'second']);
  return `${amount} ${unit ?? 'second'}${amount === 1 ? '' : 's'}`;
}

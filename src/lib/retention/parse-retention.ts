import { durationMs } from '../duration.ts';

const DAY_MS = 86_400_000;
const DAYS_MAX = 3_650;

/** How long a kind of row is kept, in milliseconds. */
export function retention(value: string): number {
  const ms = durationMs(value) ?? 0;
  if (ms < DAY_MS || ms > DAYS_MAX * DAY_MS)
    throw new Error(`a duration from 1 to ${String(DAYS_MAX)} days, such as 90d`);
  return ms;
}

/** The same; undefined: for ever. */
export function retentionOrOff(value: string): number | undefined {
  if (value === 'off') return undefined;
  try {
    return retention(value);
  } catch (error) {
    throw new Error(`off, or ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
}

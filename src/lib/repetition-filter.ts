// An outage logs its cause at once, then one line a minute instead of hundreds.

export interface RepetitionFilterOptions {
  /** @default a minute */
  readonly intervalMs?: number;
  /** Milliseconds since any fixed moment. @default a monotonic clock */
  readonly now?: () => number;
}

/** More different lines than one outage causes; forgetting them only costs a few extra lines. */
const KEYS_MAX = 1_000;

/**
 * Returns how many lines with the same key were left out since the last one that was logged, or undefined if this one should
 * be left out too.
 */
export function createRepetitionFilter({
  intervalMs = 60_000,
  now = () => performance.now(),
}: RepetitionFilterOptions = {}): (key: string) => number | undefined {
  const seen = new Map<string, { since: number; leftOut: number }>();
  return (key) => {
    const last = seen.get(key);
    if (last !== undefined && now() - last.since < intervalMs) {
      last.leftOut += 1;
      return undefined;
    }
    if (seen.size >= KEYS_MAX) seen.clear();
    seen.set(key, { since: now(), leftOut: 0 });
    return last?.leftOut ?? 0;
  };
}

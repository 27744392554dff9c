// An outage logs its cause at once, then one line a minute instead of hundreds.

const INTERVAL_MS = 60_000;
/** More different lines than one outage causes; forgetting them only costs a few extra lines. */
const KEYS_MAX = 1_000;

/**
 * Returns how many lines with the same key were left out since the last one that was logged, or undefined if this one should
 * be left out too.
 *
 * @param now milliseconds since any fixed moment
 */
export function createRepetitionFilter(now = () => performance.now()): (key: string) => number | undefined {
  const seen = new Map<string, { since: number; leftOut: number }>();
  return (key) => {
    const last = seen.get(key);
    if (last !== undefined && now() - last.since < INTERVAL_MS) {
      last.leftOut += 1;
      return undefined;
    }
    if (seen.size >= KEYS_MAX) seen.clear();
    seen.set(key, { since: now(), leftOut: 0 });
    return last?.leftOut ?? 0;
  };
}

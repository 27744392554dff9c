/**
 * Reads one at a time for all who ask. No caller may abort what the others wait for.
 *
 * @returns reads again unless a read has begun at `since` or later (`performance.now()`): what was written before then is in the result
 */
export function shareReads<Result>(read: () => Promise<Result>): (since: number) => Promise<Result> {
  let last: { begunAt: number; readonly result: Promise<Result> } | undefined;
  return (since) => {
    if (last !== undefined && last.begunAt >= since) return last.result;
    const before = last?.result.catch(() => undefined) ?? Promise.resolve();
    const next = {
      // Until it begins, everybody may wait for it.
      begunAt: Infinity,
      result: before.then(() => {
        next.begunAt = performance.now();
        return read();
      }),
    };
    last = next;
    next.result.catch(() => {
      next.begunAt = -Infinity;
    });
    return next.result;
  };
}

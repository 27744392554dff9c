export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** Of at least one value. */
export function spreadOf(values: readonly number[]): Spread {
  return { min: Math.min(...values), median: percentile(values, 50), max: Math.max(...values) };
}

/**
 * The smallest value that at least `percent` of the values do not exceed; of an even number of values, the median is the mean
 * of the middle two. NaN of no values.
 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  if (percent === 50 && Number.isInteger(middle)) return ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? NaN;
}

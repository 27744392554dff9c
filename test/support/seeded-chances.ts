export interface Chances {
  /** 0 to below 1. */
  next(): number;
  /** From `least` to below `most`. */
  between(least: number, most: number): number;
  /** True once in `inTimes` calls on average. */
  once(inTimes: number): boolean;
}

/** The same numbers for the same seed on every machine: a 32-bit linear congruence, its high bits mixed. */
export function seededChances(seed: number): Chances {
  let state = (seed * 2_654_435_761) >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), 2_246_822_519) >>> 0;
    return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (least, most) => least + next() * (most - least),
    once: (inTimes) => next() < 1 / inTimes,
  };
}

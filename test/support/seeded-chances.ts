export interface Chances {
  /** 0 to below 1. */
  readonly next: () => number;
  /** From `least` to below `most`. */
  readonly between: (least: number, most: number) => number;
  /** True once in `inTimes` calls on average. */
  readonly once: (inTimes: number) => boolean;
  /** A whole number from 0 to below `limit`. */
  readonly below: (limit: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  readonly shuffled: <Item>(items: readonly Item[]) => Item[];
}

/** The same numbers for the same seed on every machine: a 32-bit linear congruence, its high bits mixed. */
export function seededChances(seed: number): Chances {
  let state = (seed * 2_654_435_761) >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), 2_246_822_519) >>> 0;
    return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    ...{ next, below },
    between: (least, most) => least + next() * (most - least),
    once: (inTimes) => next() < 1 / inTimes,
    pick: <Item>(items: readonly Item[]) => items[below(items.length)] as Item,
    shuffled: (items) => {
      const left = [...items];
      return items.flatMap(() => left.splice(below(left.length), 1));
    },
  };
}

/** Choices that are the same for the same seed. */
export interface SeededRandom {
  /** A whole number, both bounds included. */
  between(least: number, most: number): number;
  /** True with this probability, 0 to 1. */
  chance(probability: number): boolean;
  shuffled<Item>(items: readonly Item[]): Item[];
}

/** Spreads neighbouring seeds over all 32 bits; the odd constant is 2^32 divided by the golden ratio. */
const SPREAD = 0x9e3779b1;

/** Marsaglia's xorshift with 32 bits: plenty for choosing, nothing for secrets. */
export function seededRandom(seed: number): SeededRandom {
  // Zero is the one state that the generator never leaves.
  let state = Math.imul(seed + 1, SPREAD) | 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    between,
    chance: (probability) => next() < probability,
    shuffled(items) {
      const left = [...items];
      return items.flatMap(() => left.splice(between(0, left.length - 1), 1));
    },
  };
}

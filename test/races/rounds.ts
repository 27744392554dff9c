/** Of each race. A change of locks is tried with 1,000. */
export const ROUNDS = Number(process.env['SENDOFF_RACE_ROUNDS'] ?? 40);
/** With four contenders each, eight connections are busy. */
const ROUNDS_AT_ONCE = 2;

/** Runs the rounds of a race; the first error of any contender ends them. */
export async function inRounds(race: (round: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < ROUNDS) await race(next++);
  };
  await Promise.all(Array.from({ length: ROUNDS_AT_ONCE }, lane));
}

/** What four contenders that begin at once return. */
export const four = <T>(contend: (contender: number) => Promise<T>): Promise<T[]> =>
  Promise.all([0, 1, 2, 3].map(contend));

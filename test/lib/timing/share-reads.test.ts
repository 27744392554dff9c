import { expect, test } from 'vitest';
import { shareReads } from '../../../src/lib/timing/share-reads.ts';

/** Reads that end when the test says so. */
function heldReads() {
  const ends: ((error?: Error) => void)[] = [];
  const read = shareReads(
    () =>
      new Promise<number>((resolve, reject) => {
        const number = ends.length + 1;
        ends.push((error) => {
          if (error === undefined) resolve(number);
          else reject(error);
        });
      }),
  );
  const end = async (number: number, error?: Error) => {
    await expect.poll(() => ends.length).toBe(number);
    ends[number - 1]?.(error);
  };
  return { read, end, begun: () => ends.length };
}

test('those who ask while a read is under way share the next one, which begins after it', async () => {
  const { read, end, begun } = heldReads();
  const first = read(performance.now());
  await expect.poll(begun).toBe(1);
  const [second, third] = [read(performance.now()), read(performance.now())];
  expect(begun()).toBe(1);
  await end(1);
  await end(2);
  expect(await Promise.all([first, second, third])).toEqual([1, 2, 2]);
});

test('an older read serves who accepts it, under way or over', async () => {
  const { read, end, begun } = heldReads();
  const asked = performance.now();
  const first = read(asked);
  await expect.poll(begun).toBe(1);
  const during = read(asked);
  await end(1);
  expect(await Promise.all([first, during, read(asked)])).toEqual([1, 1, 1]);
  expect(begun()).toBe(1);
});

test('a read that failed fails those who waited for it, and nobody else', async () => {
  const { read, end } = heldReads();
  const asked = performance.now();
  const failed = [read(asked), read(asked)].map((result) => expect(result).rejects.toThrow('no answer'));
  await end(1, new Error('no answer'));
  await Promise.all(failed);
  const next = read(asked);
  await end(2);
  expect(await next).toBe(2);
});

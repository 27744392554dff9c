import { expect, test } from 'vitest';
import { spaceCalls } from '../../../src/lib/timing/space-calls.ts';

const PER_SECOND = 20;

test('calls begin in their order and never more in a second, also after the process has stalled', async () => {
  const begun: { number: number; at: number }[] = [];
  const call = spaceCalls(PER_SECOND, async (number: number) => {
    begun.push({ number, at: performance.now() });
    // As long as five of them.
    if (number === 3) for (const until = performance.now() + 250; performance.now() < until;) continue;
    return number;
  });
  expect(await Promise.all(Array.from({ length: 12 }, (_, number) => call(number)))).toEqual(
    Array.from({ length: 12 }, (_, number) => number),
  );
  expect(begun.map(({ number }) => number)).toEqual(Array.from({ length: 12 }, (_, number) => number));
  const gaps = begun.slice(1).map(({ at }, index) => at - (begun[index]?.at ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000 / PER_SECOND);
});

test('a call that fails delays no other one', async () => {
  const call = spaceCalls(1_000, (isRight: boolean) =>
    isRight ? Promise.resolve('done') : Promise.reject(new Error('x')),
  );
  const [wrong, right] = await Promise.allSettled([call(false), call(true)]);
  expect([wrong.status, right.status]).toEqual(['rejected', 'fulfilled']);
});

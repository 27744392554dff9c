import { expect, test } from 'vitest';
import { createFairQueue } from '../../../src/email-service/background/fair-queue.ts';

const entry = (id: string, account: string, destination: string) => ({
  id,
  shares: ['email', `account ${account}`, `destination ${destination}`],
});

const nothingIsFull = (): boolean => false;

function lineOf(...entries: ReturnType<typeof entry>[]) {
  const line = createFairQueue<ReturnType<typeof entry>>();
  entries.forEach(line.add);
  return line;
}

test('returns the accounts in turn, and those of an account in the order of their arrival', () => {
  const line = lineOf(entry('a1', 'a', 'x'), entry('a2', 'a', 'x'), entry('a3', 'a', 'x'), entry('b1', 'b', 'x'));
  const order = [1, 2, 3, 4, 5].map(() => line.next(nothingIsFull)?.id);
  expect(order).toEqual(['a1', 'b1', 'a2', 'a3', undefined]);
});

test('passes over what is full, whether kind, account or destination', () => {
  const line = lineOf(entry('ax', 'a', 'x'), entry('ay', 'a', 'y'), entry('bx', 'b', 'x'), entry('by', 'b', 'y'));
  expect(line.next((share) => share === 'email')).toBeUndefined();
  expect(line.next((share) => ['account a', 'destination x'].includes(share))?.id).toBe('by');
  expect(line.next((share) => ['account a', 'destination x'].includes(share))).toBeUndefined();
  expect(line.next((share) => share === 'destination x')?.id).toBe('ay');
  expect([line.next(nothingIsFull)?.id, line.next(nothingIsFull)?.id].sort()).toEqual(['ax', 'bx']);
  expect(line.next(nothingIsFull)).toBeUndefined();
});

test('forgets what was removed', () => {
  const [first, second] = [entry('a1', 'a', 'x'), entry('a2', 'a', 'x')];
  const line = lineOf(first, second);
  expect([line.remove(first), line.remove(first)]).toEqual([true, false]);
  expect(line.next(nothingIsFull)).toBe(second);
});

test('asks about each full share once, however many wait for it', () => {
  const line = lineOf(
    ...Array.from({ length: 10_000 }, (_, number) => entry(`a${number}`, 'a', `${number}`)),
    entry('b', 'b', 'x'),
  );
  let asked = 0;
  const found = line.next((share) => {
    asked += 1;
    return share === 'account a';
  });
  expect(found?.id).toBe('b');
  expect(asked).toBe(4);
});

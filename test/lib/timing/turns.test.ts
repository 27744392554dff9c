import { expect, test } from 'vitest';
import { createTurns } from '../../../src/lib/timing/turns.ts';

test('holders beyond those at once wait in their order, and those of another name do not', async () => {
  const turns = createTurns(2);
  const began: string[] = [];
  const request = async (account: string, name: string): Promise<() => void> => {
    const end = await turns.begin(account);
    began.push(name);
    return end;
  };
  const [first, second, third, fourth, other] = ['1', '2', '3', '4', 'other'].map((name) =>
    request(name === 'other' ? 'acc_2' : 'acc_1', name),
  );
  (await first)?.();
  await third;
  expect(began).toEqual(['1', '2', 'other', '3']);
  (await second)?.();
  await fourth;
  for (const each of [third, fourth, other]) (await each)?.();
  // None is left behind.
  for (const name of ['5', '6']) (await request('acc_1', name))();
  expect(began).toEqual(['1', '2', 'other', '3', '4', '5', '6']);
});

test('one that gives up waiting takes no turn', async () => {
  const turns = createTurns(1);
  const end = await turns.begin('');
  const gone = new AbortController();
  const waiting = turns.begin('', gone.signal);
  const next = turns.begin('');
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  await expect(turns.begin('', gone.signal)).rejects.toThrow('gone');
  end();
  (await next)();
  (await turns.begin(''))();
});

test('a turn is taken at once only if it is free', async () => {
  const turns = createTurns(1);
  const end = turns.take('');
  const waiting = turns.begin('');
  expect([turns.take(''), typeof turns.take('other')]).toEqual([undefined, 'function']);
  end?.();
  expect(turns.take('')).toBeUndefined();
  (await waiting)();
  expect(turns.take('')).toBeDefined();
});

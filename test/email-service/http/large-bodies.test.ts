import { expect, test } from 'vitest';
import { email, startTestApi } from '../support/test-api.ts';

const POSTS = 12;

test('handles large bodies that arrive together in turns of the event loop of their own, so that small requests come between', async () => {
  let turn = 0;
  let next: NodeJS.Immediate;
  const count = (): void => {
    turn += 1;
    next = setImmediate(count);
  };
  let handledIn: number[] = [];
  const api = await startTestApi({
    now: () => {
      handledIn.push(turn);
      return new Date('2026-03-01T12:00:00.000Z');
    },
  });
  const token = await api.openAccount('acme');
  const sender = await api.sender(token, 'a@acme.test');
  handledIn = [];
  next = setImmediate(count);
  const answers = await Promise.all(
    Array.from({ length: POSTS }, (_, n) =>
      api.post('/emails', email(sender, { body: 'x'.repeat(100_000) }), { token, key: `k${String(n)}` }),
    ),
  );
  clearImmediate(next);
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([202]));
  expect(new Set(handledIn).size).toBeGreaterThanOrEqual(POSTS);
  await api.end();
});

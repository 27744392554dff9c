import { expect, test } from 'vitest';
import { behaviours, quick, wrongEnds } from './unusual-behaviours.ts';

test('each tenant of an unusual provider ends as it should within minutes, with one email at most and one webhook at most', async () => {
  expect(await wrongEnds(Object.keys(behaviours).filter((name) => !quick.includes(name)))).toEqual([]);
});

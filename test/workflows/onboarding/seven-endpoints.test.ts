import { expect, test } from 'vitest';
import { wrongReadings } from './seven-readings.ts';

// Those after them are in seven-endpoints.long.test.ts.
test('the first 10 readings: each tenant ends as it should within minutes, with one email at most and one webhook at most', async () => {
  expect(await wrongReadings(1, 10)).toEqual([]);
});

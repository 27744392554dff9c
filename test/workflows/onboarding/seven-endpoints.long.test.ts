import { expect, test } from 'vitest';
import { wrongReadings } from './seven-readings.ts';

/** All 200: SEVEN_ENDPOINTS_READINGS=200 */
const READINGS = Number(process.env['SEVEN_ENDPOINTS_READINGS'] ?? 48);
/** Those before it are in seven-endpoints.test.ts. */
const FIRST = 11;
const PER_TEST = 19;

test.each(Array.from({ length: (READINGS - FIRST + 1) / PER_TEST }, (_, at) => FIRST + at * PER_TEST))(
  'readings %i and following: each tenant ends as it should within minutes, with one email at most and one webhook at most',
  async (first) => {
    expect(await wrongReadings(first, PER_TEST)).toEqual([]);
  },
);

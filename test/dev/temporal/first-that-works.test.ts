import { expect, test } from 'vitest';
import { firstThatWorks } from '../../../src/dev/temporal/first-that-works.ts';
import type { Way } from '../../../src/dev/temporal/first-that-works.ts';

const absent: Way<string> = { name: 'the PATH', absent: 'not found', get: () => Promise.resolve(undefined) };
const failing: Way<string> = {
  name: 'the download',
  absent: '',
  get: () => Promise.reject(new Error('it failed:\n  dns error')),
};
const working: Way<string> = { name: 'the build', absent: '', get: () => Promise.resolve('/built') };

function tried(ways: readonly Way<string>[]): { got: Promise<string>; reports: string[] } {
  const reports: string[] = [];
  const report = (line: string): void => void reports.push(line);
  return { got: firstThatWorks({ wanted: 'server', ways, advice: 'Install one.', report }), reports };
}

test('reports a failure at once and tries the next way', async () => {
  const { got, reports } = tried([absent, failing, working]);
  expect(await got).toBe('/built');
  expect(reports).toEqual(['Failed: the download: dns error']);
});

test('tries no way after the first that works', async () => {
  const { got, reports } = tried([working, failing]);
  expect(await got).toBe('/built');
  expect(reports).toEqual([]);
});

test('tries no other way after an abort', async () => {
  const interruption = new AbortController();
  const reports: string[] = [];
  const ended: Way<string> = {
    ...failing,
    get: () => {
      interruption.abort(new Error('interrupted'));
      return failing.get();
    },
  };
  const { signal } = interruption;
  const report = (line: string): void => void reports.push(line);
  const got = firstThatWorks({ wanted: 'server', ways: [ended, working], advice: 'Install one.', report, signal });
  await expect(got).rejects.toBe(signal.reason);
  expect(reports).toEqual([]);
});

test('throws one error with each way, its reason and what to do, if none works', async () => {
  const { got } = tried([absent, failing]);
  await expect(got).rejects.toThrow(
    'Cannot get a server. Tried in this order:\n' +
      '- the PATH: not found\n' +
      '- the download: it failed:\n  dns error\n' +
      'Install one.',
  );
});

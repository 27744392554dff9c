import { expect, test } from 'vitest';
import { firstThatWorks } from '../../../src/dev/temporal/first-that-works.ts';
import type { Way } from '../../../src/dev/temporal/first-that-works.ts';

const absent: Way<string> = { name: 'the PATH', absent: 'there is none', get: () => Promise.resolve(undefined) };
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

test('what fails is reported at once and the next way is tried', async () => {
  const { got, reports } = tried([absent, failing, working]);
  expect(await got).toBe('/built');
  expect(reports).toEqual(['Not by the download: dns error']);
});

test('ways after the first that works are not tried', async () => {
  const { got, reports } = tried([working, failing]);
  expect(await got).toBe('/built');
  expect(reports).toEqual([]);
});

test('what is ended because nothing is wanted any more is no reason to try the next way', async () => {
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

test('when nothing works one error names every way, why it failed, and what to do', async () => {
  const { got } = tried([absent, failing]);
  await expect(got).rejects.toThrow(
    'No server could be had. Tried, in this order:\n' +
      '- the PATH: there is none\n' +
      '- the download: it failed:\n  dns error\n' +
      'Install one.',
  );
});

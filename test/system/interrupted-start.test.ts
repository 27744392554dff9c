import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Runtime } from '@temporalio/worker';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startDevEnvironment } from '../../src/dev/dev-environment.ts';
import { temporalCli } from '../support/temporal.ts';
import { newDataFolder } from './running-sendoff.ts';

let data: string;
beforeEach(async () => {
  data = newDataFolder();
  // Each start installs the Runtime of its process.
  await Runtime.instance().shutdown();
});
afterEach(() => {
  rmSync(data, { recursive: true, force: true });
});

test.each([
  ['while Temporal starts', /^Starting a Temporal dev server/],
  ['once Temporal is ready', /^Temporal is ready/],
  ['while DNS and mail start', /^Starting a DNS server/],
  ['while the email service starts', /^Starting the email service/],
  ['while the orchestrator starts', /^Starting the orchestrator/],
] as const)('an interruption %s stops what was started and starts nothing more', async (_name, moment) => {
  const interruption = new AbortController();
  const reason = new Error('interrupted');
  const reported: string[] = [];
  const start = startDevEnvironment({
    dataFolder: data,
    environment: { TEMPORAL_CLI_PATH: await temporalCli(), PATH: process.env['PATH'] },
    report: (line) => {
      reported.push(line);
      if (moment.test(line)) interruption.abort(reason);
    },
    signal: interruption.signal,
  });
  await expect(start).rejects.toBe(reason);
  expect(reported.at(-1)).toMatch(moment);
  // The dev server holds its claim for as long as it runs; the address is written when everything runs.
  expect(existsSync(join(data, 'temporal.db.claim'))).toBe(false);
  expect(existsSync(join(data, 'address.json'))).toBe(false);
});

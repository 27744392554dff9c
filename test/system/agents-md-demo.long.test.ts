import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { CheckDemoReport } from '../../src/cli/agents-md/check-demo-report.ts';
import { startSendoffWith } from './running-sendoff.ts';

const temporary = mkdtempSync(join(tmpdir(), 'sendoff-agents-md-'));
afterAll(() => {
  rmSync(temporary, { recursive: true, force: true });
});

test('the demo of the AGENTS.md check finds every outcome with at most three requests each', async () => {
  const demo = await startSendoffWith({ TMPDIR: temporary }, 'agents-md', 'demo', '--json');
  expect(await demo.ended, demo.stderr()).toBe(0);
  const lines = demo.stdout().trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  const report = JSON.parse(lines[0] ?? '') as CheckDemoReport;
  expect(report).toMatchObject({ isExpected: true, requestsWithCredentials: 0 });
  expect(
    report.producers.map(({ producerId, outcome, reasonCode, foundIn, statuses }) => [
      producerId,
      outcome,
      reasonCode,
      foundIn,
      statuses.join(' '),
    ]),
  ).toEqual([
    ['aurora', 'pass', 'content_found', 'primary', '200 200'],
    ['borealis', 'partial', 'stub', 'primary', '200'],
    ['cirrus', 'pass', 'content_found', 'orgFallback', '404 200'],
    ['dune', 'fail', 'file_not_found', null, '404 404'],
    ['ember', 'fail', 'no_organization', null, ''],
    ['fjord', 'pass', 'content_found', 'primary', '429 200'],
  ]);
  expect(demo.stderr()).toContain('6/6');
  expect(readdirSync(temporary).filter((name) => name.startsWith('sendoff-demo-'))).toEqual([]);
});

import { expect, test } from 'vitest';
import type { CheckDemoReport } from '../../src/cli/agents-md/check-demo-report.ts';
import { encryptedDemo } from './encrypted-demo.ts';
import { expectNothingInClear, messagesInClear } from './stored-in-temporal.ts';

test('the demo of the AGENTS.md check finds every outcome with at most three requests each; encrypted, nothing is in clear', async () => {
  const { code, stdout, stderr, stored, left } = await encryptedDemo('agents-md', 'demo');
  expect(code, stderr).toBe(0);
  const lines = stdout.trimEnd().split('\n');
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
  expect(stderr).toContain('6/6');
  expect(left).toEqual([]);
  expect(stored.types).toContain('checkAgentsMd');
  expectNothingInClear(stored);
  expect(messagesInClear(stored).join('\n')).toContain('limits the request rate');
});

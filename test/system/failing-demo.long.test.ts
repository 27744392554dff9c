import { expect, test } from 'vitest';
import type { DemoReport } from '../../src/cli/local/demo-report.ts';
import { encryptedDemo } from './encrypted-demo.ts';
import { sendoff } from './running-sendoff.ts';
import { expectNothingInClear, messagesInClear } from './stored-in-temporal.ts';

// test/system/local-deployment.long.test.ts plays the others.
test('the demo with --fail F2, whose sender is refused until the window ends, exits 0 and keeps the domain only; encrypted, nothing is in clear', async () => {
  const { code, stdout, stderr, stored } = await encryptedDemo('demo', '--fail', 'F2');
  expect(code, stderr).toBe(0);
  const report = JSON.parse(stdout) as DemoReport;
  expect(report).toMatchObject({
    outcome: 'DomainNotVerified',
    exit: 'F2',
    details: { stage: 'creatingSender', domainId: report.domainId },
    heldAtProvider: {
      ownKey: [],
      issueApiKey: [],
      registerWebhook: [],
      registerDomain: [report.domainId],
      createSender: [],
    },
    received: [],
  });
  expect(report.undo.map(({ step, result }) => [step, result])).toEqual([
    ['registerDomain', 'kept'],
    ['registerWebhook', 'undone'],
    ['issueApiKey', 'undone'],
    ['issueApiKey', 'undone'],
  ]);
  expect(stored.types).toContain('onboardTenant');
  expectNothingInClear(stored);
  expect(messagesInClear(stored).join('\n')).toContain('refused the sender');
});

test('an unknown value of --fail is refused with the allowed values', async () => {
  const { code, stderr } = await sendoff('demo', '--fail', 'F4');
  expect(code).toBe(2);
  expect(stderr).toContain('Allowed choices are F1, F2, F3, cancel');
});

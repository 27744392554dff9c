import { describe, expect, test } from 'vitest';
import type { DemoReport } from '../../src/cli/local/demo-report.ts';
import { sendoff } from './running-sendoff.ts';

async function failing(how: string): Promise<DemoReport> {
  const { code, stdout, stderr } = await sendoff('demo', '--fail', how, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as DemoReport;
}

const domainAloneKept = [
  ['registerDomain', 'kept'],
  ['registerWebhook', 'undone'],
  ['issueApiKey', 'undone'],
];

const results = ({ undo }: DemoReport) => undo.map(({ step, result }) => [step, result]);

describe.concurrent('the demo with --fail exits 0 and reports the typed failure and the undo', () => {
  test('F1, because the host was doubled: keeps the domain only', async () => {
    const report = await failing('F1');
    expect(report).toMatchObject({
      outcome: 'DomainVerificationTimedOut',
      exit: 'F1',
      details: { stage: 'awaitingDomain', conclusive: true, domainId: report.domainId },
      heldAtProvider: { issueApiKey: [], registerWebhook: [], registerDomain: [report.domainId], createSender: [] },
      received: [],
    });
    expect(results(report)).toEqual(domainAloneKept);
    const details = report.details as unknown as {
      records: {
        purpose: string;
        name: string;
        host: string;
        findings: { code: string; name: string; fix: string }[];
      }[];
    };
    for (const purpose of ['dkim', 'spf']) {
      const record = details.records.find((one) => one.purpose === purpose);
      const finding = record?.findings.find(({ code }) => code === 'host_doubled');
      expect(finding?.name).toBe(`${record?.name ?? ''}.acme.test`);
      expect(finding?.fix).toContain(record?.host);
    }
  });

  test('F2, because the sender is refused until the window ends: keeps the domain only', async () => {
    const report = await failing('F2');
    expect(report).toMatchObject({
      outcome: 'DomainNotVerified',
      exit: 'F2',
      details: { stage: 'creatingSender', domainId: report.domainId },
      heldAtProvider: { issueApiKey: [], registerWebhook: [], registerDomain: [report.domainId], createSender: [] },
      received: [],
    });
    expect(results(report)).toEqual(domainAloneKept);
  });

  test('F3, because the receiver rejects the recipient: keeps everything', async () => {
    const report = await failing('F3');
    expect(report).toMatchObject({
      outcome: 'EmailBounced',
      exit: 'F3',
      details: {
        stage: 'awaitingDelivery',
        recipient: 'nobody@inbox.test',
        reason: expect.stringContaining('nobody@inbox.test does not live here') as string,
        category: 'recipient',
        smtpCode: 550,
        enhancedCode: '5.1.1',
      },
      heldAtProvider: { registerDomain: [report.domainId], createSender: [report.senderId] },
      received: [],
    });
    expect(results(report).map(([, result]) => result)).toEqual(['kept', 'kept', 'kept', 'kept']);
  });

  test('cancel: undoes everything', async () => {
    const report = await failing('cancel');
    expect(report).toMatchObject({
      outcome: 'cancelled',
      exit: null,
      details: null,
      heldAtProvider: { issueApiKey: [], registerWebhook: [], registerDomain: [], createSender: [] },
      received: [],
    });
    expect(results(report)).toEqual([
      ['registerDomain', 'undone'],
      ['registerWebhook', 'undone'],
      ['issueApiKey', 'undone'],
    ]);
  });
});

test('an unknown value of --fail is refused with the allowed values', async () => {
  const { code, stderr } = await sendoff('demo', '--fail', 'F4');
  expect(code).toBe(2);
  expect(stderr).toContain('Allowed choices are F1, F2, F3, cancel');
});

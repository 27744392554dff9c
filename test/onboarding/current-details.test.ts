import { describe, expect, test } from 'vitest';
import { currentDetails as detailsIn } from '../../src/onboarding/current-details.ts';
import type { DnsRecord } from '../../src/onboarding/dns-record.ts';
import { newOnboarding, type Onboarding } from '../../src/onboarding/onboarding.ts';
import { validInput } from '../support/valid-input.ts';
import { spfRecord } from './dns-operators/records.ts';

const currentDetails = (shown: Onboarding): string => detailsIn(shown, 'mail');
const onboarding = newOnboarding(validInput());
const spf: DnsRecord = {
  ...spfRecord,
  ...{ name: 'bounce.acme.test', host: 'bounce', zone: 'acme.test', value: 'v=spf1 -all', status: 'wrong' },
  findings: [{ code: 'spf_multiple', name: 'bounce.acme.test', fix: 'Delete one of the two SPF records.' }],
};
const key = `v=DKIM1; k=rsa; p=${'A'.repeat(392)}`;
const dkim: DnsRecord = {
  ...spf,
  purpose: 'dkim',
  name: 'k1._domainkey.acme.test',
  host: 'k1._domainkey',
  value: key,
  status: 'missing',
  findings: [{ code: 'not_published', name: 'k1._domainkey.acme.test', fix: `Add a TXT record with value ${key}` }],
};
const waiting: Onboarding = {
  ...onboarding,
  stage: 'awaitingDomain',
  keyId: 'key_1',
  stages: [
    { stage: 'issuingKey', at: '2026-01-01T00:00:00.123Z' },
    { stage: 'registeringDomain', at: '2026-01-01T00:00:01.456Z' },
    { stage: 'awaitingDomain', at: '2026-01-01T00:00:02.789Z' },
  ],
  verificationDeadline: '2026-01-04T00:00:01.000Z',
  records: [dkim, spf],
};

describe('while an onboarding waits for its domain', () => {
  const details = currentDetails(waiting);

  test('say who waits, for what, since when and until when', () => {
    expect(details).toMatch(
      /^## ⏳ acme: acme\.test\n\n\*\*Waits for the tenant to correct the DNS records of acme\.test\*\* since 2026-01-01 00:00:02 UTC\. The verification window closes at 2026-01-04 00:00:01 UTC; then it fails with F1\./,
    );
    expect(currentDetails({ ...waiting, records: [dkim] })).toContain('**Waits for the tenant to publish the DNS');
  });

  test('show the definite mistakes before everything else', () => {
    const [, , wrong = '', list = ''] = details.split('\n\n');
    expect(wrong).toBe('### What is wrong in the DNS');
    expect(list.split('\n')).toEqual([
      '- ❌ Delete one of the two SPF records. (`spf_multiple`)',
      expect.stringMatching(/^- ⏳ Add a TXT record with value v=DKIM1; k=rsa; p=A+… \(`not_published`\)$/),
    ]);
  });

  test('show the steps with what they made', () => {
    expect(details).toContain('- ✅ API key `key_1` (2026-01-01 00:00:01 UTC)');
    expect(details).toContain('- ⏳ **Domain verified** since 2026-01-01 00:00:02 UTC');
    expect(details).toContain('- ⬜ Sender created');
  });

  test('show the records, with a long value cut and where the whole one is', () => {
    expect(details).toContain('| ❌ wrong | spf | TXT | `bounce` | acme.test | `v=spf1 -all` |');
    expect(details).toContain(`| ⏳ missing | dkim | TXT | \`k1._domainkey\` | acme.test | \`${key.slice(0, 60)}…\` |`);
    expect(details).not.toContain(key.slice(0, 61));
    expect(details).toContain(
      '**See everything, with whole values**: `sendoff status acme` or `GET /onboardings/acme`',
    );
  });

  test('name the Updates with their data, and the commands with the Namespace', () => {
    const update = 'temporal workflow update execute --namespace mail --workflow-id onboarding/acme --name';
    const data = '{"hours":24,"by":"your name","reason":"why"}';
    expect(details).toContain('Send an Update, `checkNow` without data, or `sendoff check-now acme`');
    expect(details).toContain(
      `Send an Update, \`extendVerification\` with \`${data}\`, or \`sendoff extend acme --hours 24 --reason 'why'\``,
    );
    expect(details).toContain(`\n${update} checkNow\n${update} extendVerification --input '${data}'\n`);
  });
});

describe('after a failure', () => {
  const failed = currentDetails({
    ...onboarding,
    stage: 'done',
    stages: [
      { stage: 'awaitingDelivery', at: '2026-01-01T00:00:00Z' },
      { stage: 'undoing', at: '2026-01-01T00:00:01Z' },
      { stage: 'done', at: '2026-01-01T00:00:02Z' },
    ],
    badEnd: { type: 'EmailBounced', exit: 'F3', message: 'bounced: <b>no</b>\n| such [user](x)' },
    undo: [
      { step: 'createSender', resourceId: 'snd_1', result: 'undone', reason: 'undone after EmailBounced' },
      { step: 'issueApiKey', resourceId: 'key_1', result: 'kept', reason: 'kept after EmailBounced' },
      { step: 'registerDomain', resourceId: null, result: 'failed', reason: 'a | b' },
    ],
  });

  test('mark the failed step', () => {
    expect(failed).toMatch(/^## ❌ acme/);
    expect(failed).toContain('- ❌ **Delivery confirmed** since 2026-01-01 00:00:00 UTC');
  });

  test('show the failure as one line without markup', () => {
    expect(failed).toContain('**EmailBounced (F3)**: bounced: \\<b\\>no\\</b\\> \\| such \\[user\\](x)');
  });

  test('do not repeat in the failure what its findings say', () => {
    const message = `acme.test was not verified within 72 hours. ${spf.findings[0]?.fix ?? ''}\nTo start again, use PUT /onboardings/acme or sendoff restart acme --subject TEXT --body TEXT; do not reset this Workflow`;
    const badEnd = { type: 'DomainVerificationTimedOut', exit: 'F1', message } as const;
    const details = currentDetails({ ...waiting, badEnd, stage: 'done' });
    expect(details).toContain('**: acme.test was not verified within 72 hours.\n');
    expect(details.match(/Delete one of the two SPF records/g)).toHaveLength(1);
    expect(details.match(/To start again/g)).toHaveLength(1);
  });

  test('show what the undo did', () => {
    expect(failed).toContain('- ✅ Sender `snd_1` undone after EmailBounced');
    expect(failed).toContain('- 📌 API key `key_1` kept after EmailBounced');
    expect(failed).toContain('- ❌ Domain not undone: a \\| b');
  });

  test('say how to start again', () => {
    expect(failed).toContain(
      '- **To start again, use PUT /onboardings/acme or sendoff restart acme --subject TEXT --body TEXT; do not reset this Workflow**',
    );
  });

  test('say that the undo is running until it has ended', () => {
    const badEnd = { type: 'Cancelled', exit: null, message: 'Cancelled in stage awaitingDomain' } as const;
    const undoing = currentDetails({ ...waiting, badEnd, stage: 'undoing' });
    expect(undoing).toContain('**Cancelled**: Cancelled in stage awaitingDomain');
    expect(undoing).toContain('The undo is running');
    expect(undoing).not.toContain('To start again');
  });
});

test('say that an onboarding has succeeded', () => {
  expect(currentDetails({ ...onboarding, stage: 'done' })).toContain(
    '**Onboarded**: the first email to ada@inbox.test was delivered.',
  );
  expect(currentDetails({ ...onboarding, stage: 'done' })).toContain(
    '`sendoff restart acme --subject TEXT --body TEXT` or `POST /onboardings/acme/restart`; a Reset changes nothing',
  );
});

test('hold text from elsewhere as text, and at most 20 kB', () => {
  const hostile = '|<b>[x](y) *a*_b_\n# '.repeat(2_000);
  const records = Array.from({ length: 50 }, (_, index) => ({
    ...spf,
    purpose: hostile,
    type: hostile,
    host: hostile,
    zone: hostile,
    value: hostile,
    findings: [{ code: `c${index}${hostile}`, name: hostile, fix: hostile }],
  }));
  const details = currentDetails({
    ...waiting,
    tenantId: 'a_'.repeat(64),
    records,
    keyId: hostile,
    badEnd: { type: 'EmailBounced', exit: 'F3', message: hostile },
    undo: Array.from({ length: 4 }, () => ({
      step: 'issueApiKey' as const,
      resourceId: hostile,
      result: 'failed' as const,
      reason: hostile,
    })),
  });
  expect(Buffer.byteLength(details)).toBeLessThanOrEqual(20_000);
  expect(details.replaceAll(/`[^`]*`/g, '')).not.toMatch(/(?<!\\)(?:<b>|\[x\])/);
  expect(details.match(/^#/gm)?.length).toBe(7);
});

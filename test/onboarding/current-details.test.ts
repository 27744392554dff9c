import { expect, test } from 'vitest';
import { currentDetails as detailsIn } from '../../src/onboarding/current-details.ts';
import { newOnboarding, type Onboarding } from '../../src/onboarding/onboarding.ts';

const currentDetails = (shown: Onboarding): string => detailsIn(shown, 'mail');
const onboarding = newOnboarding({
  tenantId: 'acme',
  domain: 'acme.test',
  fromAddress: 'hello@acme.test',
  firstEmail: { recipient: 'ada@inbox.test', subject: 'Welcome', body: 'It works.' },
});

test('show the steps, the records, the findings and how to check now during the domain wait', () => {
  const details = currentDetails({
    ...onboarding,
    stage: 'awaitingDomain',
    stages: [
      { stage: 'issuingKey', at: '2026-01-01T00:00:00Z' },
      { stage: 'registeringDomain', at: '2026-01-01T00:00:01Z' },
      { stage: 'awaitingDomain', at: '2026-01-01T00:00:02Z' },
    ],
    verificationDeadline: '2026-01-04T00:00:01Z',
    records: [
      {
        purpose: 'spf',
        type: 'TXT',
        name: 'bounce.acme.test',
        host: 'bounce',
        zone: 'acme.test',
        value: 'v=spf1 -all',
        required: true,
        status: 'wrong',
        found: [],
        findings: [{ code: 'spf_multiple', name: 'bounce.acme.test', fix: 'Delete one of the two SPF records.' }],
      },
    ],
  });
  expect(details).toContain('- [x] API key (2026-01-01T00:00:01Z)');
  expect(details).toContain('- [ ] **Domain verified** since 2026-01-01T00:00:02Z');
  expect(details).toContain('- [ ] Sender created');
  expect(details).toContain('| TXT | `bounce` | acme.test | required | wrong | `v=spf1 -all` |');
  expect(details).toContain('- Delete one of the two SPF records.');
  expect(details).toContain(
    'temporal workflow update execute --namespace mail --workflow-id onboarding/acme --name checkNow',
  );
});

test('leave a failed step open and show the undo report', () => {
  const details = currentDetails({
    ...onboarding,
    stage: 'done',
    stages: [
      { stage: 'awaitingDelivery', at: '2026-01-01T00:00:00Z' },
      { stage: 'undoing', at: '2026-01-01T00:00:01Z' },
      { stage: 'done', at: '2026-01-01T00:00:02Z' },
    ],
    undo: [{ step: 'issueApiKey', resourceId: 'key_1', result: 'kept', reason: 'kept after EmailBounced' }],
  });
  expect(details).toContain('- [ ] **Delivery confirmed** since 2026-01-01T00:00:00Z');
  expect(details).toContain('| issueApiKey | key_1 | kept | kept after EmailBounced |');
});

test('show the failure as one line without markup', () => {
  const details = currentDetails({
    ...onboarding,
    stage: 'undoing',
    badEnd: { type: 'EmailBounced', exit: 'F3', message: 'bounced: <b>no</b>\n| such [user](x)' },
    undo: [{ step: 'issueApiKey', resourceId: null, result: 'failed', reason: 'a | b' }],
  });
  expect(details).toContain('**EmailBounced (F3)**: bounced: \\<b\\>no\\</b\\> \\| such \\[user\\](x)');
  expect(details).toContain('| issueApiKey | - | failed | a \\| b |');
});

test('show a cancellation without an exit', () => {
  const badEnd = { type: 'Cancelled', exit: null, message: 'Cancelled in stage awaitingDomain' } as const;
  expect(currentDetails({ ...onboarding, badEnd })).toContain('**Cancelled**: Cancelled in stage awaitingDomain');
});

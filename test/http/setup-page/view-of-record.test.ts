import { describe, expect, test } from 'vitest';
import { viewOfRecord } from '../../../src/http/setup-page/view-of-record.ts';
import type { DnsRecord, RecordFinding } from '../../../src/onboarding/dns-record.ts';
import type { OnboardingFailure } from '../../../src/onboarding/failures.ts';
import { newOnboarding } from '../../../src/onboarding/onboarding.ts';
import { newRecord, type OnboardingRecord } from '../../../src/onboarding/onboarding-record.ts';
import { Stage } from '../../../src/onboarding/stage.ts';
import { dkimRecord, dmarcRecord, mxRecord, spfRecord } from '../../onboarding/dns-operators/records.ts';
import { inputOf } from '../../support/valid-input.ts';

const AT = '2026-11-22T12:00:00.000Z';

const waiting = (records: DnsRecord[], changes: Partial<OnboardingRecord> = {}): OnboardingRecord => ({
  ...{ ...newRecord, tenantId: 'acme', attemptId: 'attempt', runId: 'run', startedAt: AT, startedWith: null },
  onboarding: { ...newOnboarding(inputOf('acme')), stage: Stage.awaitingDomain, records },
  ...{ stagesEntered: 1, stageSince: AT, checkedAt: AT },
  ...changes,
});

const finding = (code: string, changes: Partial<RecordFinding> = {}): RecordFinding => ({
  ...{ code, name: dkimRecord.name, fix: `fix of ${code}` },
  ...changes,
});
const publish = { type: 'TXT', host: 'k1', value: 'v' };

const viewed = (record: Partial<DnsRecord>) => viewOfRecord(waiting([{ ...dkimRecord, ...record }])).records[0]!;

describe('the problems of a record', () => {
  test('are said once each, and those that pass by themselves after those that the tenant can fix', () => {
    const { problems } = viewed({
      findings: [
        ...Array.from({ length: 8 }, (_, at) => finding('server_failure', { fix: `server ${at}` })),
        finding('other_provider', { fix: 'one' }),
        finding('other_provider', { fix: 'two' }),
        finding('key_mismatch', { publish }),
      ],
    });
    expect(problems.map(({ code, fix }) => [code, fix])).toEqual([
      ['other_provider', 'one'],
      ['other_provider', 'two'],
      ['key_mismatch', 'fix of key_mismatch'],
      ['server_failure', 'server 7'],
    ]);
  });

  test.each([
    [true, 'not checked yet', { status: 'missing', findings: [] }],
    [true, 'not there', { status: 'missing', findings: [finding('not_published', { publish })] }],
    [false, 'found', { status: 'found', findings: [finding('negative_cached')] }],
    [false, 'at servers that fail', { status: 'inconclusive', findings: [finding('server_failure')] }],
    [false, 'at servers that differ', { status: 'wrong', findings: [finding('ns_inconsistent', { publish })] }],
    [false, 'of a domain that is not registered', { status: 'missing', findings: [finding('domain_unregistered')] }],
  ] as const)('say %s that a record is to be entered which is %s', (needsEntry, _, record) => {
    expect(viewed({ ...record, findings: [...record.findings] }).needsEntry).toBe(needsEntry);
  });
});

test.each([
  [false, 'not checked yet', { status: 'missing', findings: [] }],
  [false, 'not checked yet, as the Workflow knows it', { status: 'inconclusive', findings: [] }],
  [true, 'found missing', { status: 'missing', findings: [finding('not_published', { publish })] }],
  [true, 'covered by the domain above', { status: 'found', findings: [] }],
] as const)('a DMARC policy is shown: %s, if it is %s', (isShown, _, record) => {
  const advice = { ...dmarcRecord, required: false, ...record, findings: [...record.findings] };
  const { records } = viewOfRecord(waiting([dkimRecord, advice]));
  expect(records.map(({ purpose }) => purpose)).toEqual(isShown ? ['dkim', 'dmarc'] : ['dkim']);
});

test('the value to enter is that of the finding, which keeps a policy of the tenant', () => {
  const kept = { ...publish, value: 'v=DMARC1; p=reject' };
  const { value, form } = viewed({ status: 'wrong', findings: [finding('value_quoted', { publish: kept })] });
  expect([value, form.value]).toEqual([kept.value, kept.value]);
});

test.each([null, 'Cancelled', 'DomainNotVerified'] as const)(
  'shows an undo after %s as the end that is known',
  (type) => {
    const record = waiting([]);
    const badEnd = type === null ? null : { type, exit: null, message: 'm' };
    const { state, end } = viewOfRecord({
      ...record,
      onboarding: { ...record.onboarding, stage: Stage.undoing, badEnd },
    });
    expect([state, end?.type]).toEqual([type === 'DomainNotVerified' ? 'failed' : 'cancelled', type ?? 'Terminated']);
  },
);

test('a form that has appended the zone to the mail server gets its name with a final dot', () => {
  const findings = [finding('mx_target_appended', { publish })];
  const { form } = viewed({ ...mxRecord, nameServers: [{ name: 'ns07.domaincontrol.com', answered: true }], findings });
  expect(form.value).toBe('mx.sendoff.example.');
  expect(form.advice).toEqual(['zoneAppended', 'dotBelongs']);
});

test.each([
  ['unanswered', 'found', 'inconclusive'],
  ['waiting', 'missing', 'inconclusive'],
  ['published', 'found', 'found'],
] as const)('is %s if one required record is %s and another %s', (state, one, other) => {
  const records = [
    { ...dkimRecord, status: one },
    { ...spfRecord, status: other },
  ];
  expect(viewOfRecord(waiting(records)).state).toBe(state);
});

test('is never published without a required record', () => {
  const records = [{ ...dkimRecord, required: false, status: 'found' as const }];
  expect(viewOfRecord(waiting(records)).state).toBe('waiting');
});

test('each record has the form of the operator of its own zone, and only without name servers that of the page', () => {
  const at = (name: string) => [{ name, answered: true }];
  const view = viewOfRecord(
    waiting([
      { ...dkimRecord, nameServers: at('ns07.domaincontrol.com') },
      { ...spfRecord, zone: 'mail.acme.com', nameServers: at('ada.ns.cloudflare.com') },
      { ...mxRecord, zone: 'acme.com' },
      { ...dmarcRecord, status: 'found', zone: 'mail.acme.com' },
      { ...dmarcRecord, purpose: 'other', zone: 'com' },
    ]),
  );
  expect([view.zone, view.operator?.name]).toEqual(['acme.com', 'GoDaddy']);
  expect(view.records.map(({ form }) => form.labels)).toEqual([
    { host: 'Name' },
    { host: 'Name', value: 'Content' },
    { host: 'Name' },
    {},
    {},
  ]);
});

describe('the end', () => {
  const failedWith = (failure: OnboardingFailure) =>
    viewOfRecord(waiting([dkimRecord], { outcome: 'failed', failure, endedAt: AT })).end;
  const bounce = { emailId: 'e', recipient: 'a@\u{202e}b.test', reason: 'rejected', category: 'x', smtpCode: null };
  const rest = { enhancedCode: null, remoteMta: null, stage: Stage.awaitingDelivery, exit: 'F3', undo: [] } as const;
  const context = { ...rest, undo: [] };

  test.each([
    [null, 'rejected'],
    ['', 'rejected'],
    ['550 \u{202e}no', '550 \\u{202e}no'],
  ])('of a bounced email with the diagnostic %j shows %j', (diagnostic, reason) => {
    const end = failedWith({ type: 'EmailBounced', message: 'm', details: { ...bounce, ...context, diagnostic } });
    expect(end).toMatchObject({ reason, recipient: 'a@\\u{202e}b.test' });
  });

  test.each([
    ['missing', true],
    ['inconclusive', false],
    ['found', false],
  ] as const)('that is being undone, of a record that is %s: conclusive is %s', (status, conclusive) => {
    const record = waiting([{ ...dkimRecord, status }]);
    const badEnd = { type: 'DomainVerificationTimedOut', exit: 'F1', message: 'm' } as const;
    const { end } = viewOfRecord({ ...record, onboarding: { ...record.onboarding, stage: Stage.undoing, badEnd } });
    expect(end).toMatchObject({ type: 'DomainVerificationTimedOut', conclusive, recipient: '', reason: '' });
  });
});

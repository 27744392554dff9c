import { expect, test } from 'vitest';
import { showOnboarding } from '../../../src/cli/onboarding/show-onboarding.ts';
import type { Mistake } from '../../../src/onboarding/attention.ts';
import { AT, DEADLINE, mistake, spf, waitingView, watchView } from './views.ts';

const linesOf = (...view: Parameters<typeof waitingView>): string[] => showOnboarding(waitingView(...view)).split('\n');

test('shows first what is wrong and what to do', () => {
  const lines = linesOf({ needsAttention: { findings: [mistake], since: AT } }, { records: [spf] });
  expect(lines.slice(0, 4)).toEqual([
    `acme (acme.test): running, stage awaitingDomain since ${AT}, until ${DEADLINE}`,
    `  ! The tenant must correct its DNS; the mistakes were found at ${AT}:`,
    '      host_doubled at bounce.acme.test.acme.test (spf)',
    '        Enter the host bounce instead of the full name',
  ]);
  expect(lines).toContain(`  to publish until ${DEADLINE}:`);
  expect(lines).toContain('       v=spf1 ip4:192.0.2.1 -all');
});

test('says once what remedies several mistakes', () => {
  const failing = ['dkim', 'spf'].map((purpose) => ({
    ...{ code: 'name_servers_fail', name: `${purpose}.acme.test`, purpose, fix: 'Ask the operator of the zone' },
  })) as unknown as Mistake[];
  expect(linesOf({ needsAttention: { findings: [...failing, mistake], since: AT } }).slice(2, 7)).toEqual([
    '      name_servers_fail at dkim.acme.test (dkim)',
    '      name_servers_fail at spf.acme.test (spf)',
    '        Ask the operator of the zone',
    '      host_doubled at bounce.acme.test.acme.test (spf)',
    '        Enter the host bounce instead of the full name',
  ]);
});

test.each([
  ['unreachable', { reachable: false, workers: 'unknown' }, '  ! Temporal does not answer. '],
  ['without a Worker', { reachable: true, workers: 'none' }, '  ! No Worker is running, so nothing proceeds. '],
  [
    'with a silent Worker',
    { reachable: true, workers: 'unknown' },
    '  ! No Worker answers now: those that ran a minute ago are busy, or have ended. ',
  ],
] as const)('says that Temporal is %s, and how old the data is', (_state, temporal, text) => {
  const [, line] = linesOf({ ageSeconds: 120, temporal: { ...temporal, checkedAt: AT } });
  expect(line).toContain(`${text}This is what was recorded 2 minutes ago`);
});

test('needs no Worker to show an end, and says how to start again', () => {
  const temporal = { reachable: true, workers: 'none', checkedAt: AT } as const;
  const lines = linesOf({
    outcome: 'failed',
    exit: 'F1',
    endedAt: AT,
    temporal,
    failure: {
      type: 'DomainVerificationTimedOut',
      message: 'acme.test was not verified',
      details: { stage: 'awaitingDomain', exit: 'F1', undo: [], records: [], deadline: DEADLINE, conclusive: true },
    } as never,
    remains: [{ step: 'registerDomain', resourceId: 'dom_1' }],
  });
  expect(lines.slice(0, 4)).toEqual([
    `acme (acme.test): failed, exit F1 at ${AT}`,
    '  DomainVerificationTimedOut: acme.test was not verified',
    '  remains      registerDomain dom_1',
    '  To start it again: sendoff restart acme --subject TEXT --body TEXT',
  ]);
});

test('shows the last attempt, the checks and the claimed key', () => {
  const text = linesOf({
    checkedAt: AT,
    nextCheckAt: DEADLINE,
    waitingFor: [{ activity: 'checkDomain', attempt: 4, message: 'status 503', nextAttemptAt: DEADLINE }],
    apiKey: { keyId: 'key_1', state: 'claimed', claimedAt: AT, claimedBy: 'ada' },
  });
  expect(text).toContain(`  DNS checked  ${AT}, next at ${DEADLINE}`);
  expect(text).toContain(`  waiting      checkDomain, attempt 4, next at ${DEADLINE}: status 503`);
  expect(text).toContain(`  API key      key_1, claimed at ${AT} by ada`);
});

test('shows first that a verified domain has drifted, then its watch and the muted records', () => {
  const lines = linesOf({
    outcome: 'onboarded',
    endedAt: AT,
    needsAttention: { findings: [mistake], since: DEADLINE },
    domainWatch: watchView({
      state: 'drifted',
      stateSince: DEADLINE,
      findings: [mistake],
      problem: 'the provider answered 503',
      muted: [{ purpose: 'dkim', reason: 'Moved', by: 'ada', at: AT }],
    }),
  });
  expect(lines.slice(0, 7)).toEqual([
    `acme (acme.test): onboarded at ${AT}`,
    `  ! The domain was verified and has drifted since ${DEADLINE}; the tenant must correct its DNS:`,
    '      host_doubled at bounce.acme.test.acme.test (spf)',
    '        Enter the host bounce instead of the full name',
    `  domain       drifted since ${DEADLINE}, checked at ${AT}, next at ${DEADLINE}`,
    '               the last check was inconclusive: the provider answered 503',
    `  muted        dkim, by ada at ${AT}: Moved`,
  ]);
});

test('says what the last check suspects of a verified domain, and that it was not checked yet', () => {
  const onboarded = { outcome: 'onboarded', endedAt: AT } as const;
  expect(linesOf({ ...onboarded, domainWatch: watchView({ suspicion: { of: 'drifted', times: 1 } }) })).toContain(
    '               the last check found it drifted; the next checks decide',
  );
  expect(linesOf({ ...onboarded, domainWatch: watchView({ checkedAt: null, nextCheckAt: null }) })).toContain(
    `  domain       ok since ${AT}, not checked yet`,
  );
});

test.each([
  [0, '0 seconds'],
  [119, '119 seconds'],
  [125, '2 minutes'],
  [7_199, '119 minutes'],
  [100_000, '27 hours'],
])('says how long ago the last write was: %i seconds', (ageSeconds, text) => {
  expect(linesOf({ ageSeconds })).toContain(`  last write   ${text} ago`);
});

test('escapes what controls a terminal', () => {
  expect(showOnboarding(waitingView({ domain: 'acme\u001b[31m.test' }))).toContain('acme\\u{1b}[31m.test');
});

test.each([
  ['address', '  permanent    the address: another email to it would bounce as well'],
  ['message', '  permanent    this message or its sender; the address may be right'],
  [null, '  permanent    nothing that is known'],
])('says what a bounce has ended: %s', (permanentFor, line) => {
  const details = { stage: 'awaitingDelivery', exit: 'F3', undo: [], permanentFor };
  const failure = { type: 'EmailBounced', message: 'It bounced', details } as never;
  expect(linesOf({ outcome: 'failed', exit: 'F3', endedAt: AT, failure })).toContain(line);
});

test('says how to release an email whose outcome is unknown, or who did', () => {
  const details = {
    stage: 'sendingFirstEmail',
    exit: null,
    undo: [],
    recipient: 'a@b.test',
    since: AT,
    provider: 'ses',
  };
  const failure = { type: 'SendOutcomeUnknown', message: 'Unknown', details } as never;
  const advice = '  If ses has not accepted it: sendoff release-email acme --reason TEXT';
  expect(linesOf({ outcome: 'failed', endedAt: AT, failure })).toContain(advice);
  const firstEmailRelease = { by: 'ada', reason: 'Not in the log', at: AT };
  const released = linesOf({ outcome: 'failed', endedAt: AT, failure, firstEmailRelease });
  expect(released).toContain(`  released     by ada at ${AT}: Not in the log`);
  expect(released).not.toContain(advice);
});

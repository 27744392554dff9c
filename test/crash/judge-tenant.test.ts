import { runningView } from '../support/http-dependencies.ts';
import { expect, test } from 'vitest';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import type { UndoneStep } from '../../src/onboarding/failures.ts';
import { newOnboarding } from '../../src/onboarding/onboarding.ts';
import type { PlannedTenant } from './crash-plan.ts';
import type { Held } from './held-at-service.ts';
import { judgeTenant, type TenantEvidence } from './judge-tenant.ts';

const tenant: PlannedTenant = { id: 't1', kind: 'good', pauseMs: 0, publishAfterMs: 0, cancelAfterMs: 0 };
const input = {
  tenantId: 't1',
  domain: 't1.test',
  fromAddress: 'hello@t1.test',
  firstEmail: { recipient: 't1@inbox.test', subject: 'Welcome', body: 'It works.' },
};
const ids = {
  keyId: 'key_1',
  ownKeyId: 'key_0',
  webhookId: 'whk_1',
  domainId: 'dom_1',
  senderId: 'snd_1',
  emailId: 'eml_1',
};
const receivedAt = '2026-11-21T12:00:01.000Z';

const view = (changes: Partial<OnboardingView> = {}, undo: UndoneStep[] = []): OnboardingView =>
  runningView({
    tenantId: 't1',
    outcome: 'onboarded',
    onboarding: { ...newOnboarding(input), ...ids, undo },
    ...changes,
  });

const held: Held = {
  byStep: {
    ownKey: ['key_0'],
    issueApiKey: ['key_1'],
    registerWebhook: ['whk_1'],
    registerDomain: ['dom_1'],
    createSender: ['snd_1'],
  },
  emails: [
    { id: 'eml_1', message_id: '<eml_1@t1.test>', status: 'delivered', attempts: [], recipient: 'a@inbox.test' },
  ],
};
const copy = { messageId: '<eml_1@t1.test>', receivedAt, raw: 'From: hello@t1.test', dkim: 'pass', spf: 'pass' };

/** A tenant with whom everything went well; each test breaks one thing. */
const evidence = (changes: Partial<TenantEvidence> = {}): TenantEvidence => ({
  ...{ tenant, view: view(), held, copies: [copy], emailServiceKillsMs: [] },
  ...changes,
});
const faultsOf = (changes: Partial<TenantEvidence>): string[] =>
  judgeTenant(evidence(changes)).faults.map(({ kind, words }) => `${kind}: ${words}`);

test('finds no fault in an onboarded tenant with one message and the listed resources', () => {
  expect(judgeTenant(evidence())).toEqual({ outcome: 'onboarded', windowCopies: 0, faults: [] });
});

test.each([
  ['no message', { copies: [] }, 'lost: onboarded, and the receiver has no message'],
  ['a message twice', { copies: [copy, copy] }, 'duplicate: <eml_1@t1.test> came again'],
  [
    'a message that fails DKIM',
    { copies: [{ ...copy, dkim: 'fail' }] },
    'outcome: <eml_1@t1.test> was judged dkim=fail',
  ],
  ['a view that never came', { view: undefined }, 'outcome: a good tenant ended as never answered'],
  ['a running onboarding', { view: view({ outcome: 'running' }) }, 'outcome: a good tenant ended as running'],
  [
    'a second key',
    { held: { ...held, byStep: { ...held.byStep, issueApiKey: ['key_1', 'key_2'] } } },
    'orphan: key_2 of issueApiKey is held, and nowhere listed',
  ],
  [
    "no key of sendoff's own",
    { held: { ...held, byStep: { ...held.byStep, ownKey: [] } } },
    "orphan: 0 keys of sendoff's own beside 1 of the tenant",
  ],
  [
    'a second email',
    { held: { ...held, emails: [...held.emails, { ...held.emails[0]!, id: 'eml_2', status: 'bounced' as const }] } },
    'orphan: eml_2 is held, and nowhere listed',
  ],
  [
    'no sender',
    { held: { ...held, byStep: { ...held.byStep, createSender: [] } } },
    'lost: snd_1 of createSender is listed, and the email service does not hold it',
  ],
])('an onboarded tenant with %s is a fault', (_name, changes, fault) => {
  expect(faultsOf(changes).join('\n')).toContain(fault);
});

test('reports a resource called undone that still exists as an orphan; one called kept may exist', () => {
  const undo: UndoneStep[] = [
    { step: 'registerDomain', resourceId: 'dom_1', result: 'kept', reason: 'kept' },
    { step: 'registerWebhook', resourceId: 'whk_1', result: 'undone', reason: 'undone' },
    { step: 'issueApiKey', resourceId: 'key_1', result: 'undone', reason: 'undone' },
    { step: 'issueApiKey', resourceId: 'key_0', result: 'undone', reason: 'undone' },
  ];
  const cancelled = {
    tenant: { ...tenant, kind: 'cancelled' as const },
    view: view({ outcome: 'cancelled' }, undo),
    copies: [],
  };
  const byStep = {
    ownKey: ['key_0'],
    issueApiKey: ['key_1'],
    registerWebhook: [],
    registerDomain: ['dom_1'],
    createSender: [],
  };
  expect(faultsOf({ ...cancelled, held: { byStep, emails: [] } })).toEqual([
    'orphan: key_1 of issueApiKey is held, and is called undone',
    'orphan: key_0 of issueApiKey is held, and is called undone',
  ]);
  expect(faultsOf({ ...cancelled, held: { byStep: { ...byStep, ownKey: [], issueApiKey: [] }, emails: [] } })).toEqual(
    [],
  );
});

test('reports a message for a tenant that may have none as a duplicate', () => {
  const bounced = view({ outcome: 'failed' });
  const kind = 'refused' as const;
  const faults = faultsOf({ tenant: { ...tenant, kind }, view: bounced });
  expect(faults).toContainEqual(expect.stringContaining('a refused tenant ended as an untyped failure'));
});

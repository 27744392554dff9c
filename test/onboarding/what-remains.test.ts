import { expect, test } from 'vitest';
import { newOnboarding, type Onboarding } from '../../src/onboarding/onboarding.ts';
import { Stage } from '../../src/onboarding/stage.ts';
import { whatRemains } from '../../src/onboarding/what-remains.ts';

const onboarding = (changes: Partial<Onboarding>): Onboarding => ({
  ...newOnboarding({
    tenantId: 'acme',
    domain: 'acme.test',
    fromAddress: 'hello@acme.test',
    firstEmail: { recipient: 'ada@inbox.test', subject: 'Welcome', body: 'It works.' },
  }),
  ...changes,
});

test('terminated while it waited: everything it had made, and nothing it had not begun', () => {
  const waiting = onboarding({ stage: Stage.awaitingDomain, keyId: 'key_1', webhookId: 'whk_1', domainId: 'dom_1' });
  expect(whatRemains(waiting)).toEqual([
    { step: 'issueApiKey', resourceId: 'key_1' },
    { step: 'registerWebhook', resourceId: 'whk_1' },
    { step: 'registerDomain', resourceId: 'dom_1' },
  ]);
});

test('terminated during a step: its resource may be there, under an id that nobody knows', () => {
  expect(whatRemains(onboarding({ stage: Stage.registeringDomain, keyId: 'key_1' }))).toEqual([
    { step: 'issueApiKey', resourceId: 'key_1' },
    { step: 'registerDomain', resourceId: null },
  ]);
});

test('terminated during its first step: those that follow without a wait may have been made, too', () => {
  expect(whatRemains(onboarding({ stage: Stage.issuingKey }))).toEqual([
    { step: 'issueApiKey', resourceId: null },
    { step: 'registerWebhook', resourceId: null },
    { step: 'registerDomain', resourceId: null },
  ]);
});

test('after an undo: what was kept and what could not be taken back', () => {
  const ended = onboarding({
    stage: Stage.done,
    keyId: 'key_1',
    webhookId: 'whk_1',
    domainId: 'dom_1',
    undo: [
      { step: 'registerDomain', resourceId: 'dom_1', result: 'kept', reason: '' },
      { step: 'registerWebhook', resourceId: 'whk_1', result: 'failed', reason: '' },
      { step: 'issueApiKey', resourceId: 'key_1', result: 'undone', reason: '' },
    ],
  });
  expect(whatRemains(ended)).toEqual([
    { step: 'registerWebhook', resourceId: 'whk_1' },
    { step: 'registerDomain', resourceId: 'dom_1' },
  ]);
});

test('after an undo: a step that is kept although its answer never came may have left something', () => {
  const reason = 'the provider may hold one: its answer never arrived';
  const ended = onboarding({
    stage: Stage.done,
    keyId: 'key_1',
    undo: [
      { step: 'registerDomain', resourceId: null, result: 'kept', reason },
      { step: 'registerWebhook', resourceId: null, result: 'undone', reason: 'nothing had been created' },
      { step: 'issueApiKey', resourceId: 'key_1', result: 'undone', reason: 'undone at ProviderUnavailable' },
    ],
  });
  expect(whatRemains(ended)).toEqual([{ step: 'registerDomain', resourceId: null }]);
});

test('terminated in the middle of its undo: what the undo had not reached yet still counts as there', () => {
  expect(whatRemains(onboarding({ stage: Stage.undoing, keyId: 'key_1' }))).toEqual([
    { step: 'issueApiKey', resourceId: 'key_1' },
  ]);
});

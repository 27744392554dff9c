import { expect, test } from 'vitest';
import { newOnboarding, type Onboarding } from '../../src/onboarding/onboarding.ts';
import { Stage } from '../../src/onboarding/stage.ts';
import { whatRemains } from '../../src/onboarding/what-remains.ts';
import { validInput } from '../support/valid-input.ts';

const onboarding = (changes: Partial<Onboarding>): Onboarding => ({
  ...newOnboarding(validInput()),
  ...changes,
});

test('lists everything created when it is terminated during a wait', () => {
  const waiting = onboarding({ stage: Stage.awaitingDomain, keyId: 'key_1', webhookId: 'whk_1', domainId: 'dom_1' });
  expect(whatRemains(waiting)).toEqual([
    { step: 'issueApiKey', resourceId: 'key_1' },
    { step: 'registerWebhook', resourceId: 'whk_1' },
    { step: 'registerDomain', resourceId: 'dom_1' },
  ]);
});

test('lists the resource of an unfinished step without an id', () => {
  expect(whatRemains(onboarding({ stage: Stage.registeringDomain, keyId: 'key_1' }))).toEqual([
    { step: 'issueApiKey', resourceId: 'key_1' },
    { step: 'registerDomain', resourceId: null },
  ]);
});

test('lists the steps after an unfinished first step, which may have run too', () => {
  expect(whatRemains(onboarding({ stage: Stage.issuingKey }))).toEqual([
    { step: 'issueApiKey', resourceId: null },
    { step: 'registerWebhook', resourceId: null },
    { step: 'registerDomain', resourceId: null },
  ]);
});

test('lists what an undo kept and what it could not delete', () => {
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

test('lists a kept step whose answer never arrived', () => {
  const reason = "the provider's response was lost, so the resource may exist";
  const ended = onboarding({
    stage: Stage.done,
    keyId: 'key_1',
    undo: [
      { step: 'registerDomain', resourceId: null, result: 'kept', reason },
      { step: 'registerWebhook', resourceId: null, result: 'undone', reason: 'nothing had been created' },
      { step: 'issueApiKey', resourceId: 'key_1', result: 'undone', reason: 'undone after ProviderUnavailable' },
    ],
  });
  expect(whatRemains(ended)).toEqual([{ step: 'registerDomain', resourceId: null }]);
});

test('lists what an unfinished undo had not reached', () => {
  expect(whatRemains(onboarding({ stage: Stage.undoing, keyId: 'key_1' }))).toEqual([
    { step: 'issueApiKey', resourceId: 'key_1' },
  ]);
});

test("lists sendoff's own key beside the tenant's, before and after an undo", () => {
  const keys = { keyId: 'key_2', ownKeyId: 'key_1' };
  const both = [
    { step: 'issueApiKey', resourceId: 'key_2' },
    { step: 'issueApiKey', resourceId: 'key_1' },
  ];
  expect(whatRemains(onboarding({ stage: Stage.undoing, ...keys }))).toEqual(both);
  const entry = (resourceId: string, result: 'undone' | 'kept') =>
    ({ step: 'issueApiKey', resourceId, result, reason: '' }) as const;
  const ended = { stage: Stage.done, ...keys };
  expect(whatRemains(onboarding({ ...ended, undo: [entry('key_2', 'kept'), entry('key_1', 'kept')] }))).toEqual(both);
  expect(whatRemains(onboarding({ ...ended, undo: [entry('key_2', 'undone'), entry('key_1', 'kept')] }))).toEqual(
    both.slice(1),
  );
});

import { describe, expect, test } from 'vitest';
import { UndoableStep } from '../../src/onboarding/failures.ts';
import type { UndoScope } from '../../src/onboarding/input.ts';
import { undoDecision } from '../../src/onboarding/undo-table.ts';

const undoneAt = (
  end: Parameters<typeof undoDecision>[1]['end'],
  scope: UndoScope = 'byExit',
  { adopted = false, accepted = false } = {},
): string[] => Object.values(UndoableStep).filter((step) => undoDecision(step, { end, scope, adopted, accepted }).undo);

describe('what an end takes back', () => {
  test.each([
    ['DomainVerificationTimedOut', ['issueApiKey', 'registerWebhook']],
    ['DomainNotVerified', ['issueApiKey', 'registerWebhook']],
    ['ProviderUnavailable', ['issueApiKey', 'registerWebhook']],
    ['EmailBounced', []],
    ['DeliveryUnconfirmed', []],
    ['ProviderRejected', ['issueApiKey', 'registerWebhook', 'registerDomain', 'createSender']],
    ['Cancelled', ['issueApiKey', 'registerWebhook', 'registerDomain', 'createSender']],
  ] as const)('%s', (end, steps) => {
    expect(undoneAt(end)).toEqual(steps);
  });

  test('the input can ask for everything or for nothing, whatever the end', () => {
    expect(undoneAt('EmailBounced', 'everything')).toHaveLength(4);
    expect(undoneAt('Cancelled', 'nothing')).toEqual([]);
  });

  test('nothing is taken back once the first email was accepted, unless everything was asked for', () => {
    expect(undoneAt('ProviderRejected', 'byExit', { accepted: true })).toEqual([]);
    expect(undoneAt('ProviderRejected', 'everything', { accepted: true })).toHaveLength(4);
  });

  test('what was there before is kept, unless everything was asked for', () => {
    expect(undoneAt('Cancelled', 'byExit', { adopted: true })).toEqual([]);
    expect(undoneAt('Cancelled', 'everything', { adopted: true })).toHaveLength(4);
  });
});

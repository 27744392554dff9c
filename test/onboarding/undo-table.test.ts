import { describe, expect, test } from 'vitest';
import type { UndoScope } from '../../src/onboarding/input.ts';
import { undoableRows } from '../../src/onboarding/step-rows.ts';
import { undoDecision } from '../../src/onboarding/undo-table.ts';

const undoneAt = (
  end: Parameters<typeof undoDecision>[1]['end'],
  scope: UndoScope = 'byExit',
  { adopted = false, accepted = false } = {},
): string[] =>
  undoableRows.map(({ step }) => step).filter((step) => undoDecision(step, { end, scope, adopted, accepted }).undo);

describe('the undo table', () => {
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

  test('undoes everything or nothing if the input says so', () => {
    expect(undoneAt('EmailBounced', 'everything')).toHaveLength(4);
    expect(undoneAt('Cancelled', 'nothing')).toEqual([]);
  });

  test('undoes nothing once the first email was accepted, except with undo: everything', () => {
    expect(undoneAt('ProviderRejected', 'byExit', { accepted: true })).toEqual([]);
    expect(undoneAt('ProviderRejected', 'everything', { accepted: true })).toHaveLength(4);
  });

  test('undoes nothing while a cancelled email is under delivery, whatever the input says', () => {
    expect(undoneAt('Cancelled', 'byExit', { accepted: true })).toEqual([]);
    expect(undoneAt('Cancelled', 'everything', { accepted: true, adopted: true })).toEqual([]);
  });

  test('keeps what existed before, except with undo: everything', () => {
    expect(undoneAt('Cancelled', 'byExit', { adopted: true })).toEqual([]);
    expect(undoneAt('Cancelled', 'everything', { adopted: true })).toHaveLength(4);
  });
});

import { describe, expect, test } from 'vitest';
import { decideUndo, isEmailAccepted, type UndoCase } from '../../src/onboarding/decide-undo.ts';
import { undoableRows } from '../../src/onboarding/steps.ts';

const everyId = { keyId: 'key_1', webhookId: 'whk_2', domainId: 'dom_3', senderId: 'snd_4' };
const noId = { keyId: null, webhookId: null, domainId: null, senderId: null };

const begun = (adopted = false): UndoCase['begun'] => new Map(undoableRows.map(({ step }) => [step, { adopted }]));

const valid: UndoCase = {
  end: 'Cancelled',
  scope: 'byExit',
  begun: begun(),
  cutOffIn: undefined,
  unanswered: [],
  isEmailUnread: false,
  ids: { ...everyId, emailId: null },
};

const accepted = { ids: { ...everyId, emailId: 'eml_5' } };

/** `+` for undone, `-` for kept, newest first. */
const decided = (changes: Partial<UndoCase>): string[] =>
  decideUndo({ ...valid, ...changes }).map(({ row, isUndone }) => `${isUndone ? '+' : '-'}${row.step}`);
const undoneAt = (changes: Partial<UndoCase>): string[] =>
  decided(changes)
    .filter((word) => word.startsWith('+'))
    .map((word) => word.slice(1))
    .reverse();

const everyStep = ['issueApiKey', 'registerWebhook', 'registerDomain', 'createSender'];

describe('the undo', () => {
  test.each([
    ['DomainVerificationTimedOut', ['issueApiKey', 'registerWebhook']],
    ['DomainNotVerified', ['issueApiKey', 'registerWebhook']],
    ['ProviderUnavailable', ['issueApiKey', 'registerWebhook']],
    ['EmailBounced', []],
    ['DeliveryUnconfirmed', []],
    ['ProviderRejected', everyStep],
    ['InvalidInput', everyStep],
    ['Cancelled', everyStep],
  ] as const)('%s', (end, steps) => {
    expect(undoneAt({ end })).toEqual(steps);
  });

  test('undoes everything or nothing if the input says so', () => {
    expect(undoneAt({ end: 'EmailBounced', scope: 'everything' })).toEqual(everyStep);
    expect(undoneAt({ scope: 'nothing' })).toEqual([]);
  });

  test('undoes nothing once the first email was accepted, except with undo: everything', () => {
    expect(undoneAt({ end: 'ProviderRejected', ...accepted })).toEqual([]);
    expect(undoneAt({ end: 'ProviderRejected', ...accepted, scope: 'everything' })).toEqual(everyStep);
  });

  test('undoes nothing while a cancelled email is under delivery, whatever the input says', () => {
    expect(undoneAt(accepted)).toEqual([]);
    expect(undoneAt({ ...accepted, scope: 'everything', begun: begun(true) })).toEqual([]);
  });

  test('keeps what existed before, except with undo: everything', () => {
    expect(undoneAt({ begun: begun(true) })).toEqual([]);
    expect(undoneAt({ begun: begun(true), scope: 'everything' })).toEqual(everyStep);
  });

  test('reports every step once, newest first, and the email as kept', () => {
    expect(decided({ end: 'DomainNotVerified', ...accepted, scope: 'everything' })).toEqual([
      '-sendFirstEmail',
      '+createSender',
      '+registerDomain',
      '+registerWebhook',
      '+issueApiKey',
    ]);
  });

  test('leaves out what is kept and was not created, unless its answer was lost', () => {
    const ids = { ...noId, keyId: 'key_1', emailId: null };
    const cut = {
      end: 'ProviderUnavailable',
      ids,
      begun: new Map([['issueApiKey' as const, { adopted: false }]]),
    } as const;
    expect(decided(cut)).toEqual(['+issueApiKey']);
    expect(
      decideUndo({ ...valid, ...cut, scope: 'nothing', cutOffIn: 'registeringDomain', unanswered: ['registerDomain'] }),
    ).toMatchObject([
      {
        ...{ row: { step: 'registerDomain' }, resourceId: null, isUndone: false },
        reason: "the provider's response was lost, so the resource may exist",
      },
      { row: { step: 'issueApiKey' }, resourceId: 'key_1', isUndone: false, reason: 'the input says undo: nothing' },
    ]);
  });

  test('looks for a sender that only a lost Workflow Task may have created, and reports it only if it finds one', () => {
    const [sender] = decideUndo({
      ...valid,
      ...{ ids: { ...everyId, senderId: null, emailId: null }, begun: new Map() },
      ...{ cutOffIn: 'awaitingDomain', unanswered: ['createSender'] },
    });
    expect(sender).toMatchObject({ row: { step: 'createSender' }, isUndone: true, onlyIfFound: true });
  });
});

test.each([
  ['Cancelled', 'eml_5', [], true],
  ['Cancelled', null, ['sendFirstEmail'], true],
  ['Cancelled', null, [], false],
  ['ProviderUnavailable', 'eml_5', [], true],
  ['ProviderUnavailable', null, ['sendFirstEmail'], false],
  ['ProviderRejected', 'eml_5', [], true],
  ['DomainNotVerified', 'eml_5', [], true],
  // It keeps everything by itself.
  ['EmailBounced', 'eml_5', [], false],
] as const)('after %s with email %s and unanswered %j, the email counts as accepted: %s', (end, id, unanswered, is) => {
  expect(isEmailAccepted({ end, ids: { ...everyId, emailId: id }, unanswered })).toBe(is);
});

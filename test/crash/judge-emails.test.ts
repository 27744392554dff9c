import { expect, test } from 'vitest';
import { judgeEmails, type EmailsEvidence } from './judge-emails.ts';

const SECOND = '2026-11-21T12:00:01.000Z';
const played: EmailsEvidence['played'][number] = {
  id: 'eml_1',
  kind: 'scheduled',
  recipient: 'mail-1@inbox.test',
  cancellation: undefined,
  leavesAtMs: Date.parse('2026-11-21T12:00:00.000Z'),
};
const held: EmailsEvidence['held'][number] = {
  id: 'eml_1',
  message_id: '<eml_1@mailer.test>',
  status: 'delivered',
  recipient: 'mail-1@inbox.test',
  attempts: [],
};
const copy = { messageId: '<eml_1@mailer.test>', receivedAt: SECOND, raw: 'r', to: ['mail-1@inbox.test'] };
const evidence: EmailsEvidence = { played: [played], held: [held], received: [copy], killsMs: [] };
const cancelled = { ...held, status: 'bounced', bounce: { category: 'cancelled' } as never } as const;

test('one outcome that the receiver confirms has no fault', () => {
  expect(judgeEmails(evidence)).toEqual({ windowCopies: 0, faults: [] });
  const called = { ...evidence, played: [{ ...played, cancellation: 'cancelled' as const }], held: [cancelled] };
  expect(judgeEmails({ ...called, received: [] }).faults).toEqual([]);
});

test('an email of a domain that has lost its records expires and is not received', () => {
  const expired = { ...held, status: 'bounced', bounce: { category: 'expired' } as never } as const;
  const lost = { ...evidence, played: [{ ...played, kind: 'lost' as const }], held: [expired] };
  expect(judgeEmails({ ...lost, received: [] }).faults).toEqual([]);
  expect(judgeEmails(lost).faults.map(({ kind }) => kind)).toEqual(['duplicate']);
  expect(judgeEmails({ ...lost, held: [held] }).faults.map(({ kind }) => kind)).toEqual(['outcome']);
});

test.each([
  ['lost', { held: [] }],
  ['orphan', { held: [held, { ...held, id: 'eml_2' }] }],
  ['lost', { received: [] }],
  ['outcome', { held: [{ ...held, status: 'queued' as const }], received: [] }],
  ['outcome', { held: [cancelled], received: [] }],
  ['outcome', { played: [{ ...played, cancellation: 'cancelled' as const }] }],
  ['duplicate', { played: [{ ...played, cancellation: 'cancelled' as const }], held: [cancelled] }],
  ['duplicate', { received: [copy, copy] }],
  ['lost', { played: [{ ...played, kind: 'sandbox' as const }], received: [] }],
  ['outcome', { received: [{ ...copy, receivedAt: '2026-11-21T11:59:59.000Z' }] }],
] as const)('anything else is one: %s', (kind, changes) => {
  expect(judgeEmails({ ...evidence, ...changes }).faults.map((fault) => fault.kind)).toContain(kind);
});

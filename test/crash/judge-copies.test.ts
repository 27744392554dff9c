// The judge is what the crash test rests on: one that excuses everything would find nothing.
import { expect, test } from 'vitest';
import { judgeCopies } from './judge-copies.ts';

const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 21, 12, 0, seconds)).toISOString();
const ms = (seconds: number): number => Date.parse(at(seconds));

const copy = (seconds: number, changes: { messageId?: string; raw?: string } = {}) => ({
  messageId: '<eml_1@acme.test>',
  raw: 'From: hello@acme.test',
  receivedAt: at(seconds),
  ...changes,
});

/** The email service was killed at second 11, during the first attempt; the second one was answered at second 40. */
const killed = { number: 1, outcome: 'unknown' as const, started_at: at(10), finished_at: at(39) };
const answered = { number: 2, outcome: 'delivered' as const, started_at: at(39), finished_at: at(41) };
const email = (...attempts: (typeof killed | typeof answered)[]) => [{ message_id: '<eml_1@acme.test>', attempts }];

test('accepts one message, also when its receipt coincided with the kill', () => {
  expect(judgeCopies([], email(), [])).toEqual({ windowCopies: 0, duplicates: [] });
  expect(judgeCopies([copy(40)], email(killed, answered), [ms(11)])).toEqual({ windowCopies: 0, duplicates: [] });
  expect(judgeCopies([copy(10)], email(killed), [ms(11)])).toEqual({ windowCopies: 0, duplicates: [] });
});

test('accepts a second copy after a kill during the attempt that delivered the first (RFC 1047)', () => {
  const verdict = judgeCopies([copy(10), copy(40)], email(killed, answered), [ms(11)]);
  expect(verdict).toEqual({ windowCopies: 1, duplicates: [] });
});

test.each([
  ['without a kill', [copy(10), copy(40)], email(killed, answered), []],
  ['with a kill before the attempt', [copy(10), copy(40)], email(killed, answered), [ms(9)]],
  ['with a kill after the next attempt has begun', [copy(10), copy(40)], email(killed, answered), [ms(40)]],
  ['outside of every attempt that was cut off', [copy(9), copy(40)], email(killed, answered), [ms(11)]],
  ['within one and the same attempt', [copy(10), copy(10), copy(40)], email(killed, answered), [ms(11)]],
  ['within an attempt that was answered', [copy(40), copy(40)], email(answered), [ms(40)]],
  ['with another Message-ID', [copy(10), copy(40, { messageId: '<eml_2@acme.test>' })], email(killed), [ms(11)]],
  ['with other bytes', [copy(10), copy(40, { raw: 'else' })], email(killed, answered), [ms(11)]],
] as const)('a second copy %s is a duplicate', (_name, copies, emails, killsMs) => {
  expect(judgeCopies(copies, emails, killsMs).duplicates).toHaveLength(1);
});

import { describe, expect, test } from 'vitest';
import { differencesBetween } from '../../src/onboarding/same-request.ts';
import { validInput } from '../support/valid-input.ts';

const valid = validInput({ domain: 'mail.acme.test', fromAddress: 'hello@mail.acme.test' });

describe('the fields in which two inputs differ', () => {
  test('treats a missing option as its default', () => {
    expect(differencesBetween(valid, { ...valid, verificationWindow: '3 days', undo: 'byExit' })).toEqual([]);
  });

  test.each(['3d', '72h', '4320 minutes'])('treats the window %s as 72 hours', (verificationWindow) => {
    expect(differencesBetween(valid, { ...valid, verificationWindow })).toEqual([]);
  });

  test('ignores the case of a domain, which earlier versions kept', () => {
    expect(differencesBetween(valid, { ...valid, fromAddress: 'hello@MAIL.acme.test' })).toEqual([]);
    expect(differencesBetween(valid, { ...valid, fromAddress: 'Hello@mail.acme.test' })).toEqual(['fromAddress']);
  });

  test('compares the display name', () => {
    const named = { ...valid, fromName: 'Acme' };
    expect(differencesBetween(named, { ...named })).toEqual([]);
    expect(differencesBetween(named, { ...valid, fromName: 'acme' })).toEqual(['fromName']);
    expect(differencesBetween(named, valid)).toEqual(['fromName']);
    expect(differencesBetween(valid, named)).toEqual(['fromName']);
  });

  test('names every field that differs', () => {
    const other = {
      ...valid,
      domain: 'acme.test',
      firstEmail: { ...valid.firstEmail, body: 'Other.' },
      undo: 'nothing' as const,
    };
    expect(differencesBetween(valid, other)).toEqual(['domain', 'firstEmail.body', 'undo']);
  });
});

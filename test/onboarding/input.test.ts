import { describe, expect, test } from 'vitest';
import { inputFaults } from '../../src/onboarding/input.ts';
import { validInput } from '../support/valid-input.ts';

const valid = validInput({ domain: 'mail.acme.test', fromAddress: 'hello@mail.acme.test' });
const withEmail = (changes: object): object => ({ ...valid, firstEmail: { ...valid.firstEmail, ...changes } });

describe('inputFaults', () => {
  test.each([
    ['the smallest input', valid],
    ['every option', { ...valid, verificationWindow: '90 seconds', undo: 'everything' }],
    [
      'an internationalised domain in A-labels',
      { ...valid, domain: 'xn--bcher-kva.test', fromAddress: 'a@xn--bcher-kva.test' },
    ],
    ['a display name', { ...valid, fromName: '中'.repeat(200) }],
    ['an upper-case domain in the address', { ...valid, fromAddress: 'hello@MAIL.acme.test' }],
    [
      'a label of 63 characters',
      { ...valid, domain: `${'a'.repeat(63)}.test`, fromAddress: `x@${'a'.repeat(63)}.test` },
    ],
  ])('accepts %s', (_name, input) => {
    expect(inputFaults(input)).toEqual([]);
  });

  test.each([
    ['nothing', undefined, ['']],
    ['an array', [], ['']],
    ['an empty object', {}, ['tenantId', 'domain', 'fromAddress', 'firstEmail']],
    ['a tenant id with a slash', { ...valid, tenantId: 'a/b' }, ['tenantId']],
    ['a tenant id that a URL would swallow', { ...valid, tenantId: '..' }, ['tenantId']],
    ['a tenant id of 129 characters', { ...valid, tenantId: 'a'.repeat(129) }, ['tenantId']],
    ['an upper-case domain', { ...valid, domain: 'Mail.acme.test' }, ['domain', 'fromAddress']],
    [
      'a domain in U-labels',
      { ...valid, domain: 'bücher.test', fromAddress: 'a@bücher.test' },
      ['domain', 'fromAddress'],
    ],
    ['a domain with a final dot', { ...valid, domain: 'mail.acme.test.' }, ['domain', 'fromAddress']],
    ['one label only', { ...valid, domain: 'localhost', fromAddress: 'a@localhost' }, ['domain', 'fromAddress']],
    ['an IP address', { ...valid, domain: '127.0.0.1', fromAddress: 'a@127.0.0.1' }, ['domain', 'fromAddress']],
    ['a domain of 300 characters', { ...valid, domain: `${'a.'.repeat(148)}test` }, ['domain', 'fromAddress']],
    ['a label of 64 characters', { ...valid, domain: `${'a'.repeat(64)}.test` }, ['domain', 'fromAddress']],
    ['a from address on another domain', { ...valid, fromAddress: 'hello@other.test' }, ['fromAddress']],
    ['a from address on a subdomain', { ...valid, fromAddress: 'hello@a.mail.acme.test' }, ['fromAddress']],
    ['a from address with a display name', { ...valid, fromAddress: 'A <hello@mail.acme.test>' }, ['fromAddress']],
    ['an empty display name', { ...valid, fromName: '' }, ['fromName']],
    ['a display name of two lines', { ...valid, fromName: 'A\r\nBcc: x@y.test' }, ['fromName']],
    ['a display name of 401 characters', { ...valid, fromName: 'a'.repeat(401) }, ['fromName']],
    ['a display name that is no text', { ...valid, fromName: null }, ['fromName']],
    ['a recipient without a domain', withEmail({ recipient: 'ada' }), ['firstEmail.recipient']],
    ['two recipients', withEmail({ recipient: 'a@b.test,c@d.test' }), ['firstEmail.recipient']],
    ['a line break in the subject', withEmail({ subject: 'Hi\r\nBcc: x@y.test' }), ['firstEmail.subject']],
    ['an empty subject', withEmail({ subject: ' ' }), ['firstEmail.subject']],
    ['a body that is no text', withEmail({ body: 7 }), ['firstEmail.body']],
    ['an unknown field', { ...valid, colour: 'red' }, ['colour']],
    ['an unknown field of the email', withEmail({ cc: 'x@y.test' }), ['firstEmail.cc']],
    ['a window without a unit', { ...valid, verificationWindow: '72' }, ['verificationWindow']],
    ['a window of no length', { ...valid, verificationWindow: '0 hours' }, ['verificationWindow']],
    ['a window of 31 days', { ...valid, verificationWindow: '31 days' }, ['verificationWindow']],
    ['an unknown undo', { ...valid, undo: 'some' }, ['undo']],
  ])('refuses %s with the name of the field', (_name, input, fields) => {
    const problems = inputFaults(input);
    expect(problems.map(({ field }) => field)).toEqual(fields);
    for (const { problem } of problems) expect(problem).toMatch(/^(must be .*; found |is not a field)/s);
  });
});

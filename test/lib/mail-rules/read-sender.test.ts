import { describe, expect, test } from 'vitest';
import { readSender } from '../../../src/lib/mail-rules/read-sender.ts';

const faultsOf = (address: string, name?: string) =>
  readSender({ address, name }).faults.map(({ field, code, detail }) => `${field} ${code}: ${detail}`);

describe('the sender of an email', () => {
  test.each([
    ['hello@Acme.com', undefined],
    ['<hello@Acme.com>', undefined],
    ['hello@Acme.com.', undefined],
    ['Acme <hello@Acme.com.>', 'Acme'],
    ['"" <hello@Acme.com>', undefined],
    ['Acme <hello@Acme.com>', 'Acme'],
    ['Acme<hello@Acme.com>', 'Acme'],
    ['  Acme   Support   <hello@Acme.com>  ', 'Acme Support'],
    ['"Acme, Inc." <hello@Acme.com>', 'Acme, Inc.'],
    ['"Acme  <Support>" <hello@Acme.com>', 'Acme  <Support>'],
    ['"The \\"Acme\\" \\\\ Team" <hello@Acme.com>', 'The "Acme" \\ Team'],
    ["Ada O'Neil + Co. <hello@Acme.com>", "Ada O'Neil + Co."],
    ['Müller & Söhne GmbH <hello@Acme.com>', 'Müller & Söhne GmbH'],
    ['株式会社 👨‍👩‍👧‍👦 <hello@Acme.com>', '株式会社 👨‍👩‍👧‍👦'],
    ['"a\\\u2028b\\😀" <hello@Acme.com>', 'a\u2028b😀'],
    ['=?utf-8?B?SGk=?= <hello@Acme.com>', '=?utf-8?B?SGk=?='],
    [`${'中'.repeat(200)} <hello@Acme.com>`, '中'.repeat(200)],
    [`"${'\\"'.repeat(200)}" <hello@Acme.com>`, '"'.repeat(200)],
  ])('is read from %s', (address, name) => {
    expect(readSender({ address })).toEqual({ address: 'hello@acme.com', name, faults: [] });
  });

  test('may have its name beside its address, or in both', () => {
    const expected = { address: 'hello@acme.com', name: 'Acme', faults: [] };
    expect(readSender({ address: 'hello@acme.com', name: 'Acme' })).toEqual(expected);
    expect(readSender({ address: 'Acme <hello@acme.com>', name: 'Acme' })).toEqual(expected);
    expect(faultsOf('Acme <hello@acme.com>', 'Other')).toEqual([
      'name contradictory: Expected the same display name as in the address, "Acme", or none; found "Other".',
    ]);
  });

  const either = 'Expected hello@example.com or Display Name <hello@example.com>';
  test.each([
    [
      'Acme, Inc. <a@acme.com>',
      `malformed: ${either}, with a name that contains , in double quotes; found "Acme, Inc.`,
    ],
    [
      'Acme (Support) <a@acme.com>',
      'malformed: Expected hello@example.com or Display Name <hello@example.com>, with a n',
    ],
    ['b@acme.com <a@acme.com>', 'with a name that contains @ in double quotes'],
    ['a@acme.com, Acme <b@acme.com>', 'with a name that contains @ in double quotes'],
    ['Acme a@acme.com', `malformed: ${either}; found "Acme a@acme.com".`],
    ['Acme <a@acme.com', `malformed: ${either}; found`],
    ['Acme a@acme.com>', `malformed: ${either}; found`],
    ['Acme <a@acme.com> <b@acme.com>', `malformed: ${either}; found`],
    ['Acme <a@acme.com> (work)', `malformed: ${either}`],
    ['Acme <<a@acme.com>>', `malformed: ${either}; found`],
    ['"Acme <a@acme.com>', `malformed: ${either}; found`],
    ['"Acme\\" <a@acme.com>', `malformed: ${either}; found`],
    ['hello@acme.com..', 'malformed'],
    ['Acme <>', 'malformed: Expected an address like name@example.com; found "".'],
    ['Acme < a@acme.com>', 'malformed: The part before @'],
    ['Acme <acme.com>', 'malformed: Expected an address like name@example.com; found "acme.com".'],
    ['Acme <a@bücher.com>', 'not_ascii: '],
    ['" " <a@acme.com>', 'too_short: Expected a display name; found no visible character.'],
    [
      'Acme\r\nBcc: b@acme.com <a@acme.com>',
      'malformed: Expected one line of text without control characters; found a tab or line break',
    ],
    ['Acme\u0000 <a@acme.com>', 'found U+0000 at character 5.'],
    ['Acme\t<a@acme.com>', 'found a tab or line break.'],
    ['Acme\u0085 <a@acme.com>', 'found U+0085'],
    ['Acme\ud83d <a@acme.com>', 'found U+D83D'],
    [`${'中'.repeat(201)} <a@acme.com>`, 'too_long: A display name has at most 200 characters; found 201.'],
    [
      `${'x '.repeat(500)}<a@acme.com>`,
      'too_long: An address with its display name has at most 1000 characters; found 1012.',
    ],
    ['', 'malformed: Expected an address like name@example.com; found "".'],
  ])('is refused: %j', (address, detail) => {
    expect(faultsOf(address)).toEqual([expect.stringContaining(detail)]);
  });

  test.each([
    ['', 'too_short'],
    ['\u00a0', 'too_short'],
    ['A\nB', 'malformed'],
    ['A\udc00', 'malformed'],
    ['x'.repeat(201), 'too_long'],
  ])('is refused with the name %j beside it', (name, code) => {
    expect(faultsOf('a@acme.com', name)).toEqual([expect.stringContaining(`name ${code}: `)]);
  });
});

import { describe, expect, test } from 'vitest';
import { mailbox, optionalText, unstructuredText } from '../../../src/email-service/delivery/header-text.ts';

/** The text that a receiver reads: unfolded (RFC 5322 section 2.2.3), then decoded (RFC 2047 section 6.2). */
const read = (value: string): string =>
  value
    .replace(/\r\n(?=[ \t])/g, '')
    .replace(/^ /, '')
    .replace(/(\?=)[ \t]+(?==\?)/g, '$1')
    .replace(/=\?utf-8\?b\?([^?]*)\?=/gi, (_, base64: string) => Buffer.from(base64, 'base64').toString());

const lengths = (name: string, value: string): number[] => `${name}: ${value}`.split('\r\n').map((line) => line.length);

const subjects: readonly (readonly [string, string])[] = [
  ['a plain text', 'Welcome'],
  ['998 characters without a blank', 'a'.repeat(998)],
  ['998 characters in words', 'word '.repeat(199) + 'end'],
  ['998 emoji', '📬'.repeat(998)],
  ['a word that just does not fit', 'b'.repeat(70)],
  ['an encoded word', '=?utf-8?B?SGFja2Vk?='],
  ['an encoded word in the middle', 'Hello =?utf-8?Q?Hacked?= there'],
  ['the beginning of an encoded word', 'a =?utf-8'],
  ['blanks at the start', '   x'],
  ['blanks at the end', 'x  '],
  ['doubled blanks', 'two  spaces'],
  ['umlauts', 'Größe '.repeat(30).trim()],
];

describe('the text of a header', () => {
  test.each(subjects)('with %s arrives unchanged, in lines that no server cuts', (_, subject) => {
    const value = unstructuredText('Subject', subject);
    expect(read(value)).toBe(subject);
    expect(value).toMatch(/^[\r\n\x20-\x7e]*$/);
    expect(Math.max(...lengths('Subject', value))).toBeLessThanOrEqual(78);
  });

  test('is encoded only where necessary', () => {
    expect(unstructuredText('Subject', 'Re: "quoted", <angle> = 50 %?')).toBe('Re: "quoted", <angle> = 50 %?');
    expect(optionalText('X-Token', 'y'.repeat(900))).toBe('y'.repeat(900));
  });

  test('stays readable for the programs that read it', () => {
    const unsubscribe = `<https://acme.test/u?q=?utf-8?${'x'.repeat(200)}>, <mailto:u@acme.test>`;
    expect(optionalText('List-Unsubscribe', unsubscribe).replaceAll('\r\n', '')).toBe(unsubscribe);
    expect(read(optionalText('X-Note', '=?utf-8?B?SGFja2Vk?='))).toBe('=?utf-8?B?SGFja2Vk?=');
  });
});

describe('the name before an address', () => {
  test.each([
    ['Acme', 'Acme <a@acme.test>'],
    ['Acme, Inc.', '"Acme, Inc." <a@acme.test>'],
    ['The "Acme" \\ Team', '"The \\"Acme\\" \\\\ Team" <a@acme.test>'],
  ])('%s is written as %s', (name, value) => {
    expect(mailbox('From', name, 'a@acme.test')).toBe(value);
  });

  test.each([
    ['an encoded word', '=?utf-8?B?SGFja2Vk?='],
    ['an encoded word in quotes', '"=?utf-8?B?SGFja2Vk?="'],
    ['200 Japanese characters', '株式会社'.repeat(50)],
    ['200 letters', 'x'.repeat(200)],
  ])('that is %s arrives unchanged, in short lines', (_, name) => {
    const value = mailbox('From', name, `${'l'.repeat(64)}@acme.test`);
    expect(read(value)).toBe(`${name} <${'l'.repeat(64)}@acme.test>`);
    expect(value.split('<')[0]).not.toContain('"');
    expect(Math.max(...lengths('From', value))).toBeLessThanOrEqual(78);
  });
});

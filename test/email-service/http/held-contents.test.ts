import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { holdContents } from '../../../src/email-service/http/held-contents.ts';

const long = randomBytes(60_000).toString('base64');
const other = 'x'.repeat(70_000);

/** What was cut out, put back in its place. */
function putBack(text: string): unknown {
  const { json, held } = holdContents(Buffer.from(text));
  return JSON.parse(json.toString(), (_, value: unknown) =>
    typeof value === 'string' ? (held.get(value)?.toString() ?? value) : value,
  );
}

const cutOut = (text: string): readonly string[] =>
  [...holdContents(Buffer.from(text)).held.values()].map((content) => content.toString());

test('cuts out long contents, also those with escaped slashes and with blanks around', () => {
  const text = JSON.stringify({ a: 1, attachments: [{ content: long }, { content: 'short' }, { content: other }] });
  expect(cutOut(text)).toEqual([long, other]);
  expect(cutOut(text.replaceAll('/', '\\/'))).toEqual([long, other]);
  expect(cutOut(JSON.stringify(JSON.parse(text), undefined, '\t').replaceAll('":', '" \r\n:'))).toEqual([long, other]);
});

test.each([
  ['one content', `{"content":"${long}","b":[1]}`],
  ['escaped slashes', `{"content":"${long.replaceAll('/', '\\/')}/\\/"}`],
  ['nothing but slashes', `{"content":"${'\\/'.repeat(70_000)}"}`],
  ['other escapes after slashes', `{"content":"\\/${other}\\/\\u00e4\\n\\""}`],
  ['an escaped quotation mark inside', `{"content":"${other}\\"${other}"}`],
  ['a key that only ends so', `{"a\\"content":"${long}"}`],
  ['a text that has such a field', JSON.stringify({ body: `{"content":"${long}"}`, content: long })],
  ['the name as a value', `{"a":"content","content":["content",{"content":"${long}"}]}`],
  ['one key twice', `{"content":"${other}","content":"${long}"}`],
])('leaves the meaning of a JSON text with %s as it is', (_, text) => {
  expect(putBack(text)).toEqual(JSON.parse(text));
});

test.each(['{"content":"', `{"content":"${other}`, '{"content"', '{"content":', `"content":"${other}"`, '"content" x'])(
  'leaves what is no JSON text as it is: %.20s',
  (text) => {
    expect(() => putBack(text)).toThrow();
  },
);

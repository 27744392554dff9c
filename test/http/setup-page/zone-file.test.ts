import { expect, test } from 'vitest';
import { zoneFile } from '../../../src/http/setup-page/zone-file.ts';
import { dkimRecord, mxRecord, PARTS, spfRecord } from '../../onboarding/dns-operators/records.ts';

test('has one line for each record, with absolute names and strings of at most 255 bytes', () => {
  expect(zoneFile([dkimRecord, spfRecord, mxRecord], ['For acme.com'])).toBe(
    [
      '; For acme.com',
      `k1._domainkey.mail.acme.com. 3600 IN TXT "${PARTS[0]}" "${PARTS[1]}"`,
      'bounce.mail.acme.com. 3600 IN TXT "v=spf1 include:spf.sendoff.example -all"',
      'bounce.mail.acme.com. 3600 IN MX 10 mx.sendoff.example.',
      '',
    ].join('\n'),
  );
});

test.each([
  ['quotation marks and backslashes', { value: 'a"b\\c' }, 'TXT "a\\034b\\092c"'],
  ['a line break', { value: 'a\nb 1 IN A 192.0.2.1' }, 'TXT "a\\010b 1 IN A 192.0.2.1"'],
  ['characters outside of ASCII', { value: 'ü' }, 'TXT "\\195\\188"'],
  ['syntax in a name', { name: 'a;b (\n$INCLUDE x' }, 'a\\059b\\032\\040\\010\\036INCLUDE\\032x. 3600'],
  [
    'an MX value without a priority',
    { type: 'MX', value: 'mx.example' },
    '; bounce.mail.acme.com. 3600 IN MX mx.example',
  ],
  [
    'a type that it does not know',
    { type: 'A\nx', value: '$INCLUDE y' },
    '; bounce.mail.acme.com. 3600 IN A x $INCLUDE y',
  ],
  ['a CNAME of another provider', { type: 'CNAME', value: 'k1.dkim.example' }, 'IN CNAME k1.dkim.example.'],
])('escapes or comments %s', (_, fields, line) => {
  const text = zoneFile([{ ...spfRecord, ...fields }]);
  expect(text).toContain(line);
  expect(text.split('\n')).toHaveLength(2);
});

test('a comment stays on its line', () => {
  expect(zoneFile([], ['acme.com\n@ 0 IN A 192.0.2.1'])).toBe('; acme.com @ 0 IN A 192.0.2.1\n');
});

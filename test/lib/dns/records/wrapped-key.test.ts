// Damaged copies of a real key, each with the findings that must name the damage.
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { diagnose } from '../../../../src/lib/dns/findings/diagnose.ts';
import type { ExpectedRecord } from '../../../../src/lib/dns/expected-record.ts';
import { collected, dkim as dkimOfAcme, found } from '../collected.ts';

const newKey = (bits = 2048): string =>
  generateKeyPairSync('rsa', { modulusLength: bits })
    .publicKey.export({ type: 'spki', format: 'der' })
    .toString('base64');

// A key with every sign of base64.
let KEY = newKey();
while (!KEY.includes('+') || !KEY.includes('/')) KEY = newKey();
const OTHER = newKey();
const VALUE = `v=DKIM1; k=rsa; p=${KEY}`;
const dkim: ExpectedRecord = { ...dkimOfAcme, value: VALUE };
const half = Math.floor(KEY.length / 2);
const inside = (between: string): string => `v=DKIM1; k=rsa; p=${KEY.slice(0, half)}${between}${KEY.slice(half)}`;
const middleLost = (between: string): string => `v=DKIM1; k=rsa; p=${KEY.slice(0, 90)}${between}${KEY.slice(-90)}`;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const quotedPrintable = (text: string): string => text.replaceAll('=', '=3D').replaceAll(';', '=3B');

const codesOf = (value: string): readonly string[] =>
  diagnose('acme.com', [collected(dkim, found(value))]).records[0]!.findings.map(({ code }) => code);

describe.each<readonly [code: string, values: readonly string[]]>([
  [
    'value_encoded',
    [
      `&quot;${VALUE}&quot;`,
      `v=DKIM1&#59; k=rsa&#59; p=${KEY}`,
      `v=DKIM1;&nbsp;k=rsa;&nbsp;p=${KEY}`,
      inside('<br>'),
      inside('<br />\n'),
      `<p>${VALUE}</p>`,
      `v=DKIM1; k=rsa; p=${KEY.replaceAll('+', '%2B')}`,
      encodeURIComponent(VALUE),
      VALUE.replaceAll('=', '=3D'),
      `v=DKIM1; k=rsa; p=${KEY.replaceAll('+', ' ')}`,
      `v=DKIM1; k=rsa; p=${KEY.replaceAll('+', '-').replaceAll('/', '_')}`,
      `v=DKIM1; k=rsa; p=${KEY.replaceAll('+', '&#43;').replaceAll('/', '&#x2F;')}`,
      base64(VALUE),
      base64(VALUE).replaceAll(/.{76}/g, '$& '),
      `v=DKIM1; k=rsa; p=${base64(KEY)}`,
      `=?UTF-8?Q?${quotedPrintable(VALUE).replaceAll(' ', '_')}?=`,
      `=?utf-8?B?${base64(VALUE)}?=`,
    ],
  ],
  [
    'value_escaped',
    [
      inside('\\n'),
      inside('\\r\\n'),
      `v=DKIM1\\; k=rsa\\; p=${KEY}`,
      `v=DKIM1\\\\; k=rsa\\\\; p=${KEY}`,
      `${VALUE}\\n`,
      `v=DKIM1\\059 k=rsa\\059 p=${KEY}`,
      inside('\\010'),
      // Not before a letter or digit with which it would be another escape.
      VALUE.replace(/(?<=p=.{100,})(?=[A-M])/, '\\'),
    ],
  ],
  [
    'value_labelled',
    [
      `Value: ${VALUE}`,
      `TXT ${VALUE}`,
      `k1._domainkey.acme.com ${VALUE}`,
      `k1._domainkey ${VALUE}`,
      `k1._domainkey.acme.com. ${VALUE}`,
      `DKIM: "${VALUE}"`,
      `- ${VALUE}`,
      `Wert: k=rsa; p=${KEY}`,
    ],
  ],
  [
    'value_zone_line',
    [
      `k1._domainkey.acme.com. 3600 IN TXT ${VALUE}`,
      `k1._domainkey IN TXT ( "${VALUE.slice(0, 200)}" "${VALUE.slice(200)}" )`,
      `TXT "${VALUE}"`,
    ],
  ],
  [
    'tags_not_separated',
    [
      `v=DKIM1 k=rsa p=${KEY}`,
      `v=DKIM1k=rsap=${KEY}`,
      `v=DKIM1, k=rsa, p=${KEY}`,
      `v=DKIM1： k=rsa： p=${KEY}`,
      `v=DKIM1； k=rsa； p=${KEY}`,
      `v=DKIM1\u037e k=rsa\u037e p=${KEY}`,
      `v＝DKIM1; k＝rsa; p＝${KEY}`,
      `v:DKIM1; k:rsa; p:${KEY}`,
      `v=DKIM1: k=rsa: p=${KEY}`,
      `v=DKIM1 | k=rsa | p=${KEY}`,
      `v=DKIM1; k=rsa p=${KEY}`,
    ],
  ],
  [
    'key_surrounded',
    [
      `(${VALUE})`,
      `[${VALUE}]`,
      `${VALUE}.`,
      inside('…'),
      inside('...'),
      inside('*'),
      inside(';'),
      `v=DKIM1; k=rsa; p=<${KEY}>`,
      `${VALUE};;`,
      `${VALUE} TTL 3600`,
      `v=DKIM1; k=rsa; p=${KEY}${KEY}`,
      inside('AAAA'),
      inside('\n> '),
    ],
  ],
  [
    'key_part_missing',
    [middleLost('…'), middleLost('...'), middleLost(''), middleLost(' [...] '), `v=DKIM1; p=${KEY.slice(150)}`],
  ],
  [
    'value_truncated',
    [
      VALUE.slice(0, 255),
      `"${VALUE.slice(0, 254)}`,
      `${VALUE.slice(0, 250)}…`,
      `TXT ${VALUE.slice(0, 251)}`,
      KEY.slice(0, 200),
      // A semicolon begins a comment in a zone file without quotation marks.
      'v=DKIM1',
      'v=DKIM1; k=rsa',
      'v=DKIM1; k=rsa; ',
    ],
  ],
  [
    'value_reordered',
    [
      VALUE.slice(255) + VALUE.slice(0, 255),
      `v=DKIM1; p=${KEY.slice(half)}${KEY.slice(0, half)}`,
      VALUE.slice(130, 260) + VALUE.slice(0, 130) + VALUE.slice(260),
      VALUE.slice(0, 130) + VALUE.slice(260) + VALUE.slice(130, 260),
    ],
  ],
  [
    'tags_upper_case',
    [
      VALUE.toUpperCase(),
      VALUE.toLowerCase(),
      `v=DKIM1; h=SHA256; p=${KEY}`,
      `V=DKIM1; K=RSA; P=${KEY}`,
      `v=DKIM1; k=rsa; P=${KEY}`,
    ],
  ],
  ['tag_repeated', [`${VALUE}${VALUE}`, `${VALUE} ${VALUE}`, `${VALUE};${VALUE}`, `v=DKIM1; v=DKIM1; k=rsa; p=${KEY}`]],
  ['key_version_wrong', [`v=DKIM; k=rsa; p=${KEY}`, `v=DKIM2; k=rsa; p=${KEY}`, `v=1; p=${KEY}`]],
  ['value_quoted', [`“${VALUE}”`, `"${VALUE}`, `"v=DKIM1; k=rsa; p=" "${KEY}"`]],
  ['value_whitespace', [inside('\u200b'), `v=DKIM1;\u00a0k=rsa;\u00a0p=${KEY}`]],
  ['key_without_tags', [KEY, `v=DKIM1; k=rsa; ${KEY}`]],
  [
    'key_damaged',
    [
      `v=DKIM1; p=${KEY.slice(0, 100)}${KEY[100] === 'l' ? 'I' : 'l'}${KEY.slice(101)}`,
      `v=DKIM1; p=${KEY.slice(0, 100)}XXXXXXXX${KEY.slice(120)}`,
      // Two letters: a sign that has moved is taken for lost.
      `v=DKIM1; p=${KEY.slice(0, 100)}${KEY.slice(100).replace(/([a-z])([A-Z])/, '$2$1')}`,
    ],
  ],
  ['key_mismatch', [`v=DKIM1; k=rsa; p=${OTHER}`, `"v=DKIM1; k=rsa; p=${OTHER}"`, `v=DKIM1; p=${newKey(1024)}`]],
  ['key_invalid', ['v=DKIM1; k=rsa; p=YOUR_KEY_HERE', 'v=DKIM1; k=rsa; p=<public key>', 'hello', 'k=rsa']],
])('%s', (code, values) => {
  test.each(values.map((value) => [value.replaceAll(KEY, '<key>'), value] as const))('%s', (_shown, value) => {
    const codes = codesOf(value);
    expect(codes).toContain(code);
    if (code !== 'key_mismatch') expect(codes).not.toContain('key_mismatch');
  });
});

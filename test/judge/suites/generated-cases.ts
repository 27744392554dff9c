// Random zones: mistakes of tenants and forms, applied to keys, SPF records and hosts. The same seed gives the same zones.
import type { FindingCode } from '../../../src/lib/dns/findings/finding.ts';
import { seededChances } from '../../support/seeded-chances.ts';
import type { ZoneCase } from './zone-cases.ts';

type Random = (below: number) => number;

interface Mistake {
  readonly of: ZoneCase['of'];
  /** What it does to the value that should be published. */
  readonly value?: (value: string, random: Random) => string;
  /** What it does to the host, relative to the zone. */
  readonly host?: (host: string, random: Random) => string;
  /** What names it; none for a value that is right. */
  readonly findings: readonly FindingCode[];
  /** The tools skip characters that are not base64; RFC 6376 sections 3.2 and 3.6.1 have none in a key. */
  readonly isSkippedByTools?: true;
}

const oneOf = <T>(random: Random, all: readonly T[]): T => all[random(all.length)]!;
const keyAt = (value: string): number => value.indexOf('p=') + 2;
const inKey = (value: string, between: string, random: Random): string => {
  const at = keyAt(value) + 20 + random(300);
  return `${value.slice(0, at)}${between}${value.slice(at)}`;
};

const ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'];

/** With one character missing, doubled, swapped with the next, or that of a key beside it. */
function mistyped(word: string, random: Random): string {
  const at = random(word.length - 1);
  const [before, letter, next, after] = [word.slice(0, at), word[at]!, word[at + 1]!, word.slice(at + 2)];
  const row = ROWS.find((keys) => keys.includes(letter)) ?? letter;
  const key = row[row.indexOf(letter) + (random(2) === 0 ? -1 : 1)] ?? '';
  const changed = oneOf(random, ['', `${letter}${letter}`, key]);
  const made = oneOf(random, [`${before}${changed}${next}${after}`, `${before}${next}${letter}${after}`]);
  return made === word || made.startsWith('.') || made.includes('..') ? `${word}${word.slice(-1)}` : made;
}

const wide = (text: string): string => text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0));

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const mistakes: Readonly<Record<string, Mistake>> = {
  'as shown': { of: 'dkim', value: (value) => value, findings: [] },
  'other tags and spaces': {
    of: 'dkim',
    value: (value, random) =>
      `${oneOf(random, ['', 'n=a; ', 't=s; '])}${value.replaceAll('; ', oneOf(random, [';', ' ; ', ';  ']))}${oneOf(random, ['', ';', ' '])}`,
    findings: [],
  },
  'HTML around it': { of: 'dkim', value: (value) => `&quot;${value}&quot;`, findings: ['value_encoded'] },
  'HTML in the key': {
    of: 'dkim',
    value: (value, random) => inKey(value, oneOf(random, ['<br>', '<br/>', '<wbr>']), random),
    findings: ['value_encoded'],
  },
  'URL encoding': {
    of: 'dkim',
    value: (value) => value.replaceAll('+', '%2B').replaceAll('/', '%2F'),
    findings: ['value_encoded'],
  },
  'plus signs lost': {
    of: 'dkim',
    value: (value) => value.replaceAll('+', ' ').replaceAll('/', ' '),
    findings: ['value_encoded'],
  },
  'quoted-printable': { of: 'dkim', value: (value) => value.replaceAll('=', '=3D'), findings: ['value_encoded'] },
  'escaped semicolons': { of: 'dkim', value: (value) => value.replaceAll(';', '\\;'), findings: ['value_escaped'] },
  'a literal line break': {
    of: 'dkim',
    value: (value, random) => inKey(value, oneOf(random, ['\\n', '\\r\\n']), random),
    findings: ['value_escaped'],
  },
  'a label': {
    of: 'dkim',
    value: (value, random) =>
      `${oneOf(random, ['Value: ', 'TXT ', 'TXT: ', 'k1._domainkey ', 'Record value - ', 'k1._domainkey.acme.test '])}${value}`,
    findings: ['value_labelled', 'value_zone_line'],
  },
  'a zone line': {
    of: 'dkim',
    value: (value, random) =>
      `k1._domainkey ${oneOf(random, ['', '3600 '])}IN TXT ${oneOf(random, [value, `"${value}"`, `( "${value}" )`])}`,
    findings: ['value_zone_line'],
  },
  'semicolons lost': {
    of: 'dkim',
    value: (value, random) => value.replaceAll('; ', oneOf(random, [' ', '', ', ', ' | ', '\uff1b', ': '])),
    findings: ['tags_not_separated'],
  },
  brackets: {
    of: 'dkim',
    value: (value, random) => oneOf(random, [`(${value})`, `[${value}]`]),
    findings: ['key_surrounded'],
  },
  'characters behind the key': {
    of: 'dkim',
    value: (value, random) => `${value}${oneOf(random, ['.', ',', '*', ' -', '==='])}`,
    findings: ['key_surrounded'],
    isSkippedByTools: true,
  },
  'dots in the key': {
    of: 'dkim',
    value: (value, random) => inKey(value, oneOf(random, ['\u2026', '...', '*']), random),
    findings: ['key_surrounded'],
    isSkippedByTools: true,
  },
  'the middle lost': {
    of: 'dkim',
    value: (value, random) =>
      `${value.slice(0, keyAt(value) + 80 + random(60))}${oneOf(random, ['\u2026', '...', ''])}${value.slice(-90 - random(60))}`,
    findings: ['key_part_missing'],
  },
  'cut off': { of: 'dkim', value: (value, random) => value.slice(0, 120 + random(200)), findings: ['value_truncated'] },
  'cut off at a semicolon': {
    of: 'dkim',
    value: (_value, random) => oneOf(random, ['v=DKIM1', 'v=DKIM1; k=rsa', 'v=DKIM1; k=rsa; ']),
    findings: ['value_truncated'],
  },
  base64: {
    of: 'dkim',
    value: (value, random) => {
      const [tags, key] = [value.slice(0, keyAt(value)), value.slice(keyAt(value))];
      const all = base64(value);
      return oneOf(random, [all, all.replaceAll(/.{64}/g, '$& '), `${tags}${base64(key)}`, `=?UTF-8?B?${all}?=`]);
    },
    findings: ['value_encoded'],
  },
  'three parts in another order': {
    of: 'dkim',
    value: (value, random) => {
      const [one, two] = [100 + random(40), 220 + random(60)];
      const parts = [value.slice(0, one), value.slice(one, two), value.slice(two)];
      const order = oneOf(random, [
        [0, 2, 1],
        [1, 0, 2],
        [2, 1, 0],
      ]);
      return order.map((at) => parts[at]).join('');
    },
    findings: ['value_reordered'],
  },
  'cut off in quotes': {
    of: 'dkim',
    value: (value, random) => `"${value.slice(0, 120 + random(200))}`,
    findings: ['value_truncated'],
  },
  'halves swapped': {
    of: 'dkim',
    value: (value, random) => {
      const at = 200 + random(60);
      return value.slice(at) + value.slice(0, at);
    },
    findings: ['value_reordered'],
  },
  'wrong case': {
    of: 'dkim',
    value: (value, random) => oneOf(random, [value.toUpperCase(), value.toLowerCase(), value.replace('p=', 'P=')]),
    findings: ['tags_upper_case'],
  },
  doubled: {
    of: 'dkim',
    value: (value, random) => `${value}${oneOf(random, ['', ' ', '; '])}${value}`,
    findings: ['tag_repeated'],
  },
  'another version': {
    of: 'dkim',
    value: (value, random) => value.replace('DKIM1', oneOf(random, ['DKIM', 'DKIM2', 'DKIM1.0'])),
    findings: ['key_version_wrong'],
  },
  'quotation marks': {
    of: 'dkim',
    value: (value, random) => oneOf(random, [`\u201c${value}\u201d`, `'${value}'`, `\u00ab${value}\u00bb`]),
    findings: ['value_quoted'],
  },
  'invisible characters': {
    of: 'dkim',
    value: (value, random) => inKey(value, oneOf(random, ['\u200b', '\u00a0', '\ufeff']), random),
    findings: ['value_whitespace'],
    isSkippedByTools: true,
  },
  mistyped: {
    of: 'dkim',
    value: (value, random) => {
      const at = keyAt(value) + 60 + random(250);
      return `${value.slice(0, at)}${value[at] === 'x' ? 'y' : 'x'}${value.slice(at + 1)}`;
    },
    findings: ['key_damaged'],
  },
  'no key': {
    of: 'dkim',
    value: (_value, random) =>
      oneOf(random, ['v=DKIM1; k=rsa; p=YOUR_PUBLIC_KEY', 'v=DKIM1; k=rsa; p=<public key>', 'hello']),
    findings: ['key_invalid'],
  },
  'a mistyped host': {
    of: 'dkim',
    host: (_host, random) => `k1.${mistyped('_domainkey', random)}`,
    findings: ['host_wrong', 'selector_wrong'],
  },
  'a mistyped selector': {
    of: 'dkim',
    host: (_host, random) => `${oneOf(random, ['kl', 'ki', '1k', 'k', 'kk1', 'k11', 'k2', 'j1', 'l1'])}._domainkey`,
    findings: ['host_wrong', 'selector_wrong'],
  },
  'at the host of another record': {
    of: 'dkim',
    host: (_host, random) => oneOf(random, ['bounce', '_dmarc', 'dkim', 'mail', 'www']),
    findings: ['host_wrong', 'selector_wrong'],
  },
  'labels swapped': { of: 'dkim', host: () => '_domainkey.k1', findings: ['selector_wrong'] },
  'a dot or underscore lost': {
    of: 'dkim',
    host: (_host, random) =>
      oneOf(random, [
        'k1-_domainkey',
        'k1_domainkey',
        'k1domainkey',
        'k1.domainkey',
        'k1.-domainkey',
        'k1-domainkey',
        'k1',
      ]),
    findings: ['selector_wrong'],
  },
  'a selector with signs': {
    of: 'dkim',
    host: (host, random) => oneOf(random, [`_${host}`, `\\032${host}`, `${host}\\032`, host.replace('k1', 'k1s')]),
    findings: ['selector_wrong'],
  },
  'a host in quotation marks': { of: 'dkim', host: (host) => `\\"${host}\\"`, findings: ['selector_wrong'] },
  'the host twice': { of: 'dkim', host: (host) => `${host}.${host}`, findings: ['host_wrong'] },
  'a subdomain': {
    of: 'dkim',
    host: (host, random) => oneOf(random, [`www.${host}`, `${host}.www`, `${host}.mail`]),
    findings: ['host_wrong'],
  },
  'the zone appended': {
    of: 'dkim',
    host: (host, random) => `${host}.{zone}${oneOf(random, ['', '.{zone}'])}`,
    findings: ['host_doubled'],
  },
  'SPF as shown': {
    of: 'spf',
    value: (value, random) => value.replaceAll(' ', oneOf(random, [' ', '  '])),
    findings: [],
  },
  'SPF in HTML': { of: 'spf', value: (value) => `&quot;${value}&quot;`, findings: ['value_encoded'] },
  'SPF with a label': {
    of: 'spf',
    value: (value, random) => `${oneOf(random, ['Value: ', 'TXT ', 'bounce '])}${value}`,
    findings: ['value_labelled', 'value_zone_line'],
  },
  'SPF in quotation marks': {
    of: 'spf',
    value: (value, random) => oneOf(random, [`"${value}"`, `\u201c${value}\u201d`]),
    findings: ['value_quoted'],
  },
  'an SPF host with signs': {
    of: 'spf',
    host: (host, random) => oneOf(random, [`${host}\\032`, `\\"${host}\\"`]),
    findings: ['host_wrong'],
  },
  'a mistyped SPF host': { of: 'spf', host: (host, random) => mistyped(host, random), findings: ['host_wrong'] },
  'SPF at the host of another record': {
    of: 'spf',
    host: (_host, random) => oneOf(random, ['k1._domainkey', '_dmarc', 'spf', '_spf', 'www', 'return-path']),
    findings: ['host_wrong'],
  },
  'SPF in brackets': {
    of: 'spf',
    value: (value, random) => oneOf(random, [`[${value}]`, `(${value})`, `<${value}>`]),
    findings: ['value_labelled'],
  },
  'SPF in wide characters': {
    of: 'spf',
    value: (value, random) => value.replaceAll(oneOf(random, ['=', 's', 'v']), (one) => wide(one)),
    findings: ['spf_version_wrong'],
  },
  'SPF host twice': { of: 'spf', host: (host) => `${host}.${host}`, findings: ['host_wrong'] },
  'SPF zone appended': { of: 'spf', host: (host) => `${host}.{zone}`, findings: ['host_doubled'] },
};

export function generatedCases({
  seed,
  count,
}: {
  readonly seed: number;
  readonly count: number;
}): readonly ZoneCase[] {
  const names = Object.keys(mistakes);
  return Array.from({ length: count }, (_, at): ZoneCase => {
    const { below: random } = seededChances(seed * 100_003 + at);
    const name = names[(at + seed) % names.length]!;
    const { of, value, host, findings, isSkippedByTools } = mistakes[name]!;
    const owner = of === 'dkim' ? 'k1._domainkey' : 'bounce';
    return {
      name: `${String(seed)}.${String(at)} ${name}`,
      of,
      made: { host: host?.(owner, random) ?? owner, value: (right) => value?.(right, random) ?? right },
      ...(findings.length > 0 && { anyFinding: findings }),
      ...(isSkippedByTools && { rfc: { section: 'RFC 6376 sections 3.2 and 3.6.1', verdict: 'refused' } }),
    };
  });
}

import { spf as judgeSpf } from 'mailauth/lib/spf/index.js';
import { describe, expect, test } from 'vitest';
import { compareSpf } from '../../../../src/lib/dns/spf/spf-record.ts';

const ip4 = 'ip4:192.0.2.1';
const ip6 = 'ip6:2001:db8::1';
const include = 'include:spf.sendoff.example';

const rows: readonly (readonly [outcome: string, expected: string, published: string])[] = [
  ['same', ip4, 'ip4:192.0.2.1/32 -all'],
  ['same', ip4, 'ip4:192.0.2.0/24 -all'],
  ['same', ip4, 'ip4:0.0.0.0/0 -ip4:192.0.2.1 -all'],
  ['same', ip4, 'ip4:198.51.100.0/24 ip4:192.0.2.1 -all'],
  ['same', ip4, '-ip4:198.51.100.0/24 ip4:192.0.2.1 -all'],
  ['same', ip4, '-ip6:::/0 ip4:192.0.2.1 -all'],
  ['same', ip4, 'mx a:acme.com/24//64 include:spf.other.example ip4:192.0.2.1 ~all'],
  ['same', ip4, 'redirect=acme.com exp=why.acme.com x=1 y=1 ip4:192.0.2.1'],
  ['same', ip6, 'ip6:2001:0DB8:0::1/128 -all'],
  ['same', ip6, '-ip4:0.0.0.0/0 ip6:2001:db8::/32 -all'],
  ['same', include, 'ip4:198.51.100.1 include:spf.sendoff.example -all'],

  ['overruled', ip4, '-ip4:0.0.0.0/0 ip4:192.0.2.1 -all'],
  ['overruled', ip4, '~ip4:0.0.0.0/0 ip4:192.0.2.1 -all'],
  ['overruled', ip4, '?ip4:192.0.2.1/24 ip4:192.0.2.1 -all'],
  ['overruled', ip4, '-ip4:192.0.2.1 ip4:192.0.2.1 -all'],
  ['overruled', ip4, '-ip4:192.0.2.1 ip4:192.0.2.0/24 -all'],
  ['overruled', 'ip4:192.0.2.0/24', '-ip4:192.0.2.1 ip4:192.0.2.0/24 -all'],
  ['overruled', ip6, '-ip6:2001:db8::/32 ip6:2001:db8::1 -all'],
  ['overruled', ip4, '-include:spf.other.example ip4:192.0.2.1 -all'],
  ['overruled', ip4, '~a ip4:192.0.2.1 -all'],
  ['overruled', ip4, '?mx ip4:192.0.2.1 -all'],
  ['overruled', ip4, '-exists:%{i}.list.example ip4:192.0.2.1 -all'],
  ['overruled', ip4, '-ptr ip4:192.0.2.1 -all'],
  ['overruled', include, '-ip4:198.51.100.1 include:spf.sendoff.example -all'],
  ['overruled', `${ip4} ${ip6}`, 'ip4:192.0.2.1 -ip6:::/0 ip6:2001:db8::1 -all'],

  ['afterAll', ip4, '-all ip4:192.0.2.1'],
  ['afterAll', ip4, '+all ip4:192.0.2.0/24'],

  ['missing', ip4, '-all'],
  ['missing', ip4, '-ip4:192.0.2.1 -all'],
  ['missing', 'ip4:192.0.2.0/24', 'ip4:192.0.2.1 -all'],
  ['missing', ip4, 'ip6:::ffff:192.0.2.1 -all'],

  ...[
    'ip4:999.1.1.1',
    'ip4:192.0.2',
    'ip4:192.0.2.01',
    'ip4:192.0.2.0/33',
    'ip4:192.0.2.0/08',
    'ip6:2001:db8::1::2',
    'ip6:192.0.2.1',
    'ip6:2001:db8::/129',
    'a/33',
    'mx//129',
    'redirect=a.example redirect=b.example',
    'exp=a.example EXP=b.example',
    'redirect=',
    'x=1 x=2',
    'x=%{z}',
    'x=\u00e9',
    'a:',
    'a:localhost',
    'a:192.0.2.1',
    'include:acme.com/24',
    'include:%{c}.acme.com',
    'mx:acme.com/033',
    '\t',
    'ipv4:192.0.2.1',
    'constructor',
  ].map((terms) => ['syntax', ip4, `ip4:192.0.2.1 ${terms} -all`] as const),
];

test.each(rows)('%s: %s in v=spf1 %s', (outcome, expected, published) => {
  expect(compareSpf(`v=spf1 ${expected} -all`, `v=spf1 ${published}`)).toBe(outcome);
});

describe('an SPF library of another author agrees on the networks', () => {
  const networks = rows.filter(
    ([outcome, expected, published]) =>
      [ip4, ip6].includes(expected) && outcome !== 'syntax' && !/include|mx|exists|ptr|\ba\b/.test(published),
  );
  test.each(networks)('%s: %s in v=spf1 %s', async (outcome, expected, published) => {
    const resolver = (name: string, type: string): Promise<string[][]> =>
      Promise.resolve(type === 'TXT' && name === 'acme.com' ? [[`v=spf1 ${published}`]] : []);
    const { status } = await judgeSpf({
      ip: expected.slice(4),
      helo: 'mx.acme.com',
      sender: 'bounce@acme.com',
      mta: 'mx.inbox.test',
      resolver,
    });
    // Terms after +all pass, but the record is wrong: it lets everyone pass.
    if (!published.includes('+all')) expect(status.result === 'pass').toBe(outcome === 'same');
  });
});

import { expect, test } from 'vitest';
import { isPublicSuffix, organizationalDomainOf } from '../../../../src/lib/dns/names/public-suffix.ts';

test.each([
  ['acme.com', 'acme.com'],
  ['mail.acme.com', 'acme.com'],
  ['k1._domainkey.mail.acme.co.uk', 'acme.co.uk'],
  ['acme.github.io', 'acme.github.io'],
  ['mail.acme.uk.com', 'acme.uk.com'],
  ['www.ck', 'www.ck'],
  ['city.kawasaki.jp', 'city.kawasaki.jp'],
  ['mail.acme.xn--55qx5d.cn', 'acme.xn--55qx5d.cn'],
  ['mail.acme.test', 'acme.test'],
])('the organizational domain of %s is %s', (name, organizational) => {
  expect(organizationalDomainOf(name)).toBe(organizational);
  expect(isPublicSuffix(name)).toBe(false);
});

test.each(['com', 'co.uk', 'github.io', 'uk.com', 'foo.ck', 'foo.kawasaki.jp', 'xn--55qx5d.cn', 'xn--p1ai', 'test'])(
  '%s is a public suffix and has no organizational domain',
  (name) => {
    expect(organizationalDomainOf(name)).toBeUndefined();
    expect(isPublicSuffix(name)).toBe(true);
  },
);

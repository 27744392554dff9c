import { expect, test } from 'vitest';
import { isPublicSuffix, registrableDomainOf } from '../../../../src/lib/dns/names/public-suffix.ts';

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
])('the registrable domain of %s is %s', (name, registrable) => {
  expect(registrableDomainOf(name)).toBe(registrable);
  expect(isPublicSuffix(name)).toBe(false);
});

test.each(['com', 'co.uk', 'github.io', 'uk.com', 'foo.ck', 'foo.kawasaki.jp', 'xn--55qx5d.cn', 'xn--p1ai', 'test'])(
  '%s is a public suffix and has no registrable domain',
  (name) => {
    expect(registrableDomainOf(name)).toBeUndefined();
    expect(isPublicSuffix(name)).toBe(true);
  },
);

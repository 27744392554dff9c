import { expect, test } from 'vitest';
import { dnsOperatorOf } from '../../../src/onboarding/dns-operators/operator-of.ts';

test.each([
  ['no server at all', []],
  ['vanity names', ['ns1.acme.com', 'ns2.acme.com']],
  ['Google Cloud DNS or Squarespace', ['ns-cloud-a1.googledomains.com', 'ns-cloud-a2.googledomains.com']],
  ['Netlify or NS1', ['dns1.p01.nsone.net', 'dns2.p01.nsone.net']],
  ['resellers of Tucows', ['ns1.systemdns.com', 'ns2.systemdns.com', 'ns1.tucows.com']],
  ['servers of two operators', ['ada.ns.cloudflare.com', 'ns1.digitalocean.com']],
  ['one server of another party', ['ada.ns.cloudflare.com', 'ns1.acme.com']],
  ['a domain that ends in an operator’s', ['ns1.othername.com', 'ns2.othername.com']],
  ['an operator’s domain below another one', ['ns1.hover.com.evil.example']],
  ['an operator’s website', ['www.name.com', 'porkbun.com']],
  ['more labels than the operator’s servers have', ['a.b.domaincontrol.com']],
  ['a wrong number in a Route 53 name', ['ns-x.awsdns-64.com']],
])('names no operator for %s', (_, servers) => {
  expect(dnsOperatorOf(servers)).toBeUndefined();
});

test('names of any length and form are judged at once', () => {
  const names = Array.from({ length: 1_000 }, () => `ns1${'-'.repeat(60_000)}.name.co`);
  const begin = process.cpuUsage();
  expect(dnsOperatorOf(names)).toBeUndefined();
  const { user, system } = process.cpuUsage(begin);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});

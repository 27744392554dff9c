import { expect, test } from 'vitest';
import { parseServerAddress } from '../../../../src/lib/dns/resolver/server-address.ts';

test.each([
  ['192.0.2.1', { address: '192.0.2.1', port: 53 }],
  ['192.0.2.1:5353', { address: '192.0.2.1', port: 5353 }],
  ['2001:db8::1', { address: '2001:db8::1', port: 53 }],
  ['[2001:db8::1]', { address: '2001:db8::1', port: 53 }],
  ['[2001:db8::1]:5353', { address: '2001:db8::1', port: 5353 }],
])('reads %s', (text, address) => {
  expect(parseServerAddress(text)).toEqual(address);
});

test.each(['', 'dns.example', '192.0.2.1:0', '192.0.2.1:70000', '[192.0.2.1', '300.1.1.1'])('refuses %j', (text) => {
  expect(() => parseServerAddress(text)).toThrow(/Expected the IP address/);
});

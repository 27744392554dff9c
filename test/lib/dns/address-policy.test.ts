import { describe, expect, test } from 'vitest';
import { addressPolicy } from '../../../src/lib/dns/address-policy.ts';
import { isNetwork } from '../../../src/lib/dns/networks.ts';

describe('an address that a tenant has chosen', () => {
  const blockedNetworks = ['203.0.114.0/24', '2606:4700:1::/48', '198.51.101.7', '10.1.0.0/16'];
  const open = addressPolicy({ allowPrivateAddresses: false, blockedNetworks });
  const closed = addressPolicy({ allowPrivateAddresses: true, blockedNetworks });

  test.each(['1.1.1.1', '203.0.115.1', '2606:4700:2::1', '198.51.101.8'])('%s may be connected to', (address) => {
    expect([open(address), closed(address)]).toEqual([true, true]);
  });

  test.each(['10.2.0.1', '127.0.0.1', 'fd00::1', '168.63.129.16'])(
    '%s may be connected to only if private addresses are allowed',
    (address) => {
      expect([open(address), closed(address)]).toEqual([false, true]);
    },
  );

  test.each(['203.0.114.255', '::ffff:203.0.114.1', '2606:4700:1:2::3', '198.51.101.7', '10.1.255.255', '', 'host'])(
    '%s is refused in either case',
    (address) => {
      expect([open(address), closed(address)]).toEqual([false, false]);
    },
  );
});

describe('a network of the settings', () => {
  test.each(['203.0.113.0/24', '203.0.113.9', '10.0.0.1/8', '::/0', '2001:db8::/32', '2001:db8::1'])(
    'can be %s',
    (text) => {
      expect(isNetwork(text)).toBe(true);
    },
  );

  test.each([
    '',
    '10/8',
    '010.0.0.0/8',
    '0x7f.1/8',
    '1.2.3.4/33',
    '::1/129',
    '1.2.3.4/',
    '/8',
    'fe80::%e/10',
    'acme.test',
  ])('cannot be %j', (text) => {
    expect(isNetwork(text)).toBe(false);
  });

  test('cannot be IPv4-mapped, because it would match no IPv4 address', () => {
    expect(isNetwork('::ffff:203.0.113.0/120')).toBe(false);
  });
});

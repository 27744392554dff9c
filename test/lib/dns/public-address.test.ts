import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../../src/lib/dns/public-address.ts';

describe('an address of the public internet', () => {
  it.each(['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '::ffff:1.1.1.1'])('%s is one', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.18.0.1',
    '240.0.0.1',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '2001:db8::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '::127.0.0.1',
    '::7f00:1',
    '::101:101',
    '::ffff:0:127.0.0.1',
    '64:ff9b:1::7f00:1',
    'fec0::1',
    '4000::1',
    '100:0:0:1::1',
    '5f00::1',
    '192.88.99.1',
    'localhost',
    '',
    '1.1.1.1.1',
  ])('%s is none', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

// The address of the opened socket decides, not a lookup before it, whose answer could differ.
import { BlockList, isIP, isIPv6 } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** Whether a connection may be opened to an address that a tenant has chosen: of a name server, a mail server or a webhook. */
export type AddressPolicy = (address: string) => boolean;

export interface AddressSettings {
  readonly allowPrivateAddresses: boolean;
  /** As `isNetwork` accepts. Refused even if private addresses are allowed. */
  readonly blockedNetworks: readonly string[];
}

export function addressPolicy({ allowPrivateAddresses, blockedNetworks }: AddressSettings): AddressPolicy {
  const blocked = new BlockList();
  for (const network of blockedNetworks) {
    const [address = '', prefix] = network.split('/');
    const family = familyOf(address);
    blocked.addSubnet(address, prefix === undefined ? BITS[family] : Number(prefix), family);
  }
  return (address) =>
    isIP(address) !== 0 &&
    (allowPrivateAddresses || isPublicAddress(address)) &&
    // Also finds the IPv4 address in an IPv4-mapped one.
    !blocked.check(address, familyOf(address));
}

/** `203.0.113.0/24`, `2001:db8::/32`, or one address. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  // A rule of an IPv4-mapped network would match no IPv4 address.
  return isIP(address) !== 0 && !/^::ffff:/i.test(address) && Number(prefix ?? 0) <= BITS[familyOf(address)];
}

const BITS = { ipv4: 32, ipv6: 128 };

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

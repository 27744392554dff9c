import { BlockList, isIP, isIPv6 } from 'node:net';

const BITS = { ipv4: 32, ipv6: 128 };

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** `203.0.113.0/24`, `2001:db8::/32`, or one address. */
export function isNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  // A rule of an IPv4-mapped network would match no IPv4 address.
  return isIP(address) !== 0 && !/^::ffff:/i.test(address) && Number(prefix ?? 0) <= BITS[familyOf(address)];
}

/** Whether an address is in one of the networks. Also finds the IPv4 address in an IPv4-mapped one. */
export function isWithin(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = familyOf(address);
    list.addSubnet(address, Number(prefix ?? BITS[family]), family);
  }
  return (address) => list.check(address, familyOf(address));
}

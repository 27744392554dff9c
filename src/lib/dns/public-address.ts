import ipaddr from 'ipaddr.js';

/** All that IANA allocates for the public internet (RFC 4291 section 2.4); outside it some machine may route anything. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is one of the public internet. Loopback, private, link-local, multicast and reserved ranges are
 * not, and neither are the IPv6 forms that carry an IPv4 address (6to4, Teredo, NAT64, `::/96`): what they lead to is not
 * theirs to say. An IPv4-mapped address counts as the IPv4 address in it.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_UNICAST)) return false;
  return address.range() === 'unicast';
}

/** Whether a connection may be opened to an address that a stranger has chosen. */
export type AddressPolicy = (address: string) => boolean;

export const addressPolicy = (allowPrivate: boolean): AddressPolicy => (allowPrivate ? () => true : isPublicAddress);

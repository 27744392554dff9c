import ipaddr from 'ipaddr.js';

/** All IPv6 addresses that IANA allocates for the public internet (RFC 4291 section 2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address belongs to the public internet. Loopback, private, link-local, multicast and reserved ranges do not, nor do
 * IPv6 addresses that embed an IPv4 address (6to4, Teredo, NAT64, `::/96`), because they can lead to a private one. An
 * IPv4-mapped address counts as its IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_UNICAST)) return false;
  return address.range() === 'unicast';
}

/** Whether a connection may be opened to an address that a tenant has chosen. */
export type AddressPolicy = (address: string) => boolean;

export const addressPolicy = (allowPrivate: boolean): AddressPolicy => (allowPrivate ? () => true : isPublicAddress);

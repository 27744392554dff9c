import ipaddr from 'ipaddr.js';

/**
 * Whether an address is one of the public internet. Loopback, private, link-local, multicast and reserved ranges are
 * not, and neither are the IPv6 forms that carry an IPv4 address (6to4, Teredo, NAT64): what they lead to is not
 * theirs to say. An IPv4-mapped address counts as the IPv4 address in it.
 */
export const isPublicAddress = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';

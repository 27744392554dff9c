import ipaddr from 'ipaddr.js';

/** RFC 4291 section 2.5.5.1: IPv4-compatible addresses, long given up; what some machine makes of one is not known. */
const IPV4_COMPATIBLE = ipaddr.IPv6.parseCIDR('::/96');

/**
 * Whether an address is one of the public internet. Loopback, private, link-local, multicast and reserved ranges are
 * not, and neither are the IPv6 forms that carry an IPv4 address (6to4, Teredo, NAT64, `::/96`): what they lead to is not
 * theirs to say. An IPv4-mapped address counts as the IPv4 address in it.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv6 && address.match(IPV4_COMPATIBLE)) return false;
  return address.range() === 'unicast';
}

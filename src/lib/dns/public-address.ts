import ipaddr from 'ipaddr.js';
import { isWithin } from './networks.ts';

/** All IPv6 addresses that IANA allocates for the public internet (RFC 4291 section 2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Public addresses that lead to a cloud's own services from a machine in it, and nowhere from elsewhere. Those of other clouds
 * are link-local, shared (100.64.0.0/10), unique local (fd00::/8) or reserved (192.0.0.0/24).
 */
const isOfCloud = isWithin([
  // https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
  '168.63.129.16',
  // private.googleapis.com and restricted.googleapis.com: https://cloud.google.com/vpc/docs/configure-private-google-access
  '199.36.153.4/30',
  '199.36.153.8/30',
  // Infrastructure services and service endpoints, which the reference of the IBM Cloud VPC API lists as reserved ranges
  '161.26.0.0/16',
  '166.8.0.0/14',
  // metadata.packet.net: https://www.packet.com/developers/docs/servers/key-features/metadata
  '192.80.8.124',
  // The name servers in the resolv.conf of machines in Tencent Cloud
  '183.60.82.98',
  '183.60.83.19',
]);

/**
 * Whether an address belongs to the public internet. Loopback, private, link-local, multicast and reserved ranges do not, nor do
 * IPv6 addresses that embed an IPv4 address (6to4, Teredo, NAT64, `::/96`), because they can lead to a private one, nor the
 * services of a cloud. An IPv4-mapped address counts as its IPv4 address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv6 && !address.match(GLOBAL_UNICAST)) return false;
  return address.range() === 'unicast' && !isOfCloud(address.toString());
}

import { BlockList, isIPv6 } from 'node:net';

/** Cloudflare, https://www.cloudflare.com/ips/ (since 2021): the proxy that its customers switch on for each record. */
const NETWORKS = [
  ...['173.245.48.0/20', '103.21.244.0/22', '103.22.200.0/22', '103.31.4.0/22', '141.101.64.0/18', '108.162.192.0/18'],
  ...['190.93.240.0/20', '188.114.96.0/20', '197.234.240.0/22', '198.41.128.0/17', '162.158.0.0/15', '104.16.0.0/13'],
  ...['104.24.0.0/14', '172.64.0.0/13', '131.0.72.0/22', '2400:cb00::/32', '2606:4700::/32', '2803:f800::/32'],
  ...['2405:b500::/32', '2405:8100::/32', '2a06:98c0::/29', '2c0f:f248::/32'],
];

const networks = new BlockList();
for (const network of NETWORKS) {
  const [address = '', bits] = network.split('/');
  networks.addSubnet(address, Number(bits), familyOf(address));
}

/** Whether a DNS operator returns the address of its own proxy in place of the record that was entered. */
export const isOfProxy = (address: string): boolean => networks.check(address, familyOf(address));

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

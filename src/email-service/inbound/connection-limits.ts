// Of one process: they protect it, and several processes may take more together. A network is an IPv4 address or an IPv6 /64.
import ipaddr from 'ipaddr.js';

const OPEN_MAX = 10;
const PER_MINUTE = 60;
const MINUTE_MS = 60_000;
/** So that addresses without end take no memory without end: the rest share one count. */
const NETWORKS_MAX = 10_000;
const THE_REST = 'the rest';

export function createConnectionLimits(now = (): number => performance.now()) {
  const open = new Map<string, number>();
  let recent = { minute: 0, counts: new Map<string, number>() };
  return {
    /** @returns whether the connection may go on; then call `end` once */
    begin(address: string): boolean {
      const minute = Math.floor(now() / MINUTE_MS);
      if (recent.minute !== minute) recent = { minute, counts: new Map() };
      const network = networkOf(address);
      const counted = recent.counts.has(network) || recent.counts.size < NETWORKS_MAX ? network : THE_REST;
      const count = recent.counts.get(counted) ?? 0;
      const isOpen = open.get(network) ?? 0;
      if (count >= PER_MINUTE || isOpen >= OPEN_MAX) return false;
      recent.counts.set(counted, count + 1);
      open.set(network, isOpen + 1);
      return true;
    },
    end(address: string): void {
      const network = networkOf(address);
      const isOpen = (open.get(network) ?? 1) - 1;
      if (isOpen > 0) open.set(network, isOpen);
      else open.delete(network);
    },
  };
}

function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toNormalizedString().split(':').slice(0, 4).join(':');
}

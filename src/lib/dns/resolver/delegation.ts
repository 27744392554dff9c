import { isIPv4 } from 'node:net';

export interface NameServer {
  readonly host: string;
  /** Empty when the delegation does not include them. */
  readonly addresses: readonly string[];
}

/** A zone and the servers that its parent, or one of them, names for it. */
export interface Delegation {
  readonly zone: string;
  readonly servers: readonly NameServer[];
}

/** The root has 13; a hostile zone must not make us ask thousands, nor ask a resolver for their addresses. */
const SERVERS_MAX = 13;

/** @param known servers of the same zone that another referral names; they come first */
export function delegationTo(
  zone: string,
  named: { hosts: readonly string[]; glue: ReadonlyMap<string, readonly string[]> },
  known: readonly NameServer[] = [],
): Delegation {
  const fresh = named.hosts.filter((host) => !known.some((one) => one.host === host));
  const servers = [...known, ...fresh.map((host) => ({ host, addresses: named.glue.get(host) ?? [] }))];
  return { zone, servers: servers.slice(0, SERVERS_MAX) };
}

/** The same host, unless a delegation and the zone itself have different addresses of it. */
export function isSameServer(one: NameServer, other: NameServer): boolean {
  const [ours, theirs] = [one.addresses.filter(isIPv4), other.addresses.filter(isIPv4)];
  const differs = ours.length > 0 && theirs.length > 0 && !ours.some((address) => theirs.includes(address));
  return one.host === other.host && !differs;
}

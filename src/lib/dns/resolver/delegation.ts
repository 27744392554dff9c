export interface NameServer {
  readonly host: string;
  /** Empty when the delegation did not bring them along. */
  readonly addresses: readonly string[];
}

/** A zone and the servers that are said to serve it. */
export interface Delegation {
  readonly zone: string;
  readonly servers: readonly NameServer[];
}

/** As many as a zone sensibly has (the root has 13), so that a hostile one cannot make us ask thousands. */
const SERVERS_MAX = 13;

export function delegationTo(
  zone: string,
  named: { hosts: readonly string[]; glue: ReadonlyMap<string, readonly string[]> },
): Delegation {
  const servers = named.hosts.slice(0, SERVERS_MAX).map((host) => ({ host, addresses: named.glue.get(host) ?? [] }));
  return { zone, servers };
}

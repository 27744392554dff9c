import type { ZoneRecord } from './zone-record.ts';

export interface WorldDomains {
  /** The tenant's domain, `acme.test`; its records are for the tenant to publish. */
  readonly tenant: string;
  /** Where the first email goes, `inbox.test`. */
  readonly recipient: string;
}

const LOOPBACK = '127.0.0.1';

/** Short, so that the demo does not have to wait for its own mistakes to be forgotten. */
const TTL_SECONDS = 5;

/** The zones of the demo world: the domains' last labels, and below them one zone for each domain. */
export function worldZones({ tenant, recipient }: WorldDomains): readonly ZoneRecord[] {
  const tops = [...new Set([tenant, recipient].map((domain) => domain.slice(domain.lastIndexOf('.') + 1)))];
  return [
    ...tops.flatMap((top) => domainZone(top)),
    ...domainZone(tenant),
    ...domainZone(recipient),
    { name: recipient, type: 'MX', value: `10 mx.${recipient}`, ttlSeconds: TTL_SECONDS },
    { name: `mx.${recipient}`, type: 'A', value: LOOPBACK, ttlSeconds: TTL_SECONDS },
  ];
}

/** A zone with nothing in it but itself and its name server. */
export function domainZone(apex: string): readonly ZoneRecord[] {
  const server = `ns1.${apex}`;
  const soa = `${server} hostmaster.${apex} 1 3600 600 604800 ${String(TTL_SECONDS)}`;
  return [
    { name: apex, type: 'SOA', value: soa, ttlSeconds: TTL_SECONDS },
    { name: apex, type: 'NS', value: server, ttlSeconds: TTL_SECONDS },
    { name: server, type: 'A', value: LOOPBACK, ttlSeconds: TTL_SECONDS },
  ];
}

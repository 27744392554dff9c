import { lastLabel, normalName, parentOf } from '../../lib/dns/names/domain-name.ts';
import { registeredDomainOf } from '../../lib/dns/names/form-place.ts';
import type { ZoneRecord } from './zone-record.ts';

export interface WorldDomains {
  /** The tenant's domain, `acme.test`; the tenant publishes its records. */
  readonly tenant: string;
  /** The recipient's domain, `inbox.test`. */
  readonly recipient: string;
}

const LOOPBACK = '127.0.0.1';

/** Short, so that a corrected record takes effect soon. */
const TTL_SECONDS = 5;

/** One zone for each top-level domain, and one for each domain below it. */
export function worldZones({ tenant, recipient }: WorldDomains): readonly ZoneRecord[] {
  const tops = [...new Set([tenant, recipient].map(lastLabel))];
  return [
    ...tops.flatMap((top) => domainZone(top)),
    ...domainZone(tenant),
    ...domainZone(recipient),
    { name: recipient, type: 'MX', value: `10 mx.${recipient}`, ttlSeconds: TTL_SECONDS },
    { name: `mx.${recipient}`, type: 'A', value: LOOPBACK, ttlSeconds: TTL_SECONDS },
  ];
}

/** A zone with its SOA, its NS and the address of its name server. */
export function domainZone(apex: string): readonly ZoneRecord[] {
  const server = `ns1.${apex}`;
  const soa = `${server} hostmaster.${apex} 1 3600 600 604800 ${String(TTL_SECONDS)}`;
  return [
    { name: apex, type: 'SOA', value: soa, ttlSeconds: TTL_SECONDS },
    { name: apex, type: 'NS', value: server, ttlSeconds: TTL_SECONDS },
    { name: server, type: 'A', value: LOOPBACK, ttlSeconds: TTL_SECONDS },
  ];
}

/** The records, and the zone of the name's registered domain: below these top-level domains every domain is registered. */
export function withZoneOf(name: string, records: readonly ZoneRecord[]): readonly ZoneRecord[] {
  const domain = registeredDomainOf(normalName(name));
  const hasZone = (apex: string): boolean => records.some((record) => record.type === 'SOA' && record.name === apex);
  return domain.split('.').length === 2 && hasZone(parentOf(domain)) && !hasZone(domain)
    ? [...records, ...domainZone(domain)]
    : records;
}

/** RFC 2606 reserves .test, so no name of the demo world can be registered. */
export const TENANT_DOMAIN = 'acme.test';
export const RECIPIENT_DOMAIN = 'inbox.test';

/** The zones before the first publication. */
export const WORLD_ZONES = worldZones({ tenant: TENANT_DOMAIN, recipient: RECIPIENT_DOMAIN });

/** The published records, in the data folder. */
export const ZONE_FILE = 'zone.json';

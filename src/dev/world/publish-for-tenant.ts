import { registeredDomainOf } from '../../lib/dns/names/form-place.ts';
import { domainZone } from './world-zones.ts';
import type { ZoneRecord } from './zone-record.ts';
import { normalName } from './zone-store.ts';
import type { ZoneStore } from './zone-store.ts';

/**
 * Publishes a tenant's records in the zone of the registered domain, as every registered domain has one: without it a
 * record with a doubled host would have no zone to be looked for in. A zone that is there already stays as it is.
 */
export function publishForTenant(
  store: Pick<ZoneStore, 'all' | 'publish'>,
  domain: string,
  records: readonly ZoneRecord[],
): void {
  const registered = registeredDomainOf(normalName(domain));
  const isZone = store.all().some(({ name, type }) => type === 'SOA' && name === registered);
  store.publish([...(isZone ? [] : domainZone(registered)), ...records]);
}

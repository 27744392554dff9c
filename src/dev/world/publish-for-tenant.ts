import { registeredDomainOf } from '../../lib/dns/names/form-place.ts';
import { domainZone } from './world-zones.ts';
import type { ZoneRecord } from './zone-record.ts';
import type { ZoneStore } from './zone-store.ts';
import { normalName } from '../../lib/dns/names/domain-name.ts';

/** Publishes a tenant's records. Creates the zone of the registered domain if it does not exist, as every one has a zone. */
export function publishForTenant(
  store: Pick<ZoneStore, 'all' | 'publish'>,
  domain: string,
  records: readonly ZoneRecord[],
): void {
  const registered = registeredDomainOf(normalName(domain));
  const isZone = store.all().some(({ name, type }) => type === 'SOA' && name === registered);
  store.publish([...(isZone ? [] : domainZone(registered)), ...records]);
}

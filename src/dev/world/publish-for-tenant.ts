import { domainZone } from './world-zones.ts';
import type { ZoneRecord } from './zone-record.ts';
import { normalName } from './zone-store.ts';
import type { ZoneStore } from './zone-store.ts';

/**
 * Publishes a tenant's records in a zone of its domain's own, as every registered domain has one: without it a record
 * with a doubled host would have no zone to be looked for in. A domain that is a zone already stays as it is.
 */
export function publishForTenant(
  store: Pick<ZoneStore, 'all' | 'publish'>,
  domain: string,
  records: readonly ZoneRecord[],
): void {
  const isZone = store.all().some(({ name, type }) => type === 'SOA' && name === normalName(domain));
  store.publish([...(isZone ? [] : domainZone(domain)), ...records]);
}

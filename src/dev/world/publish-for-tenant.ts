import { normalName } from '../../lib/dns/names/domain-name.ts';
import { registeredDomainOf } from '../../lib/dns/names/form-place.ts';
import type { DnsMistake } from './dns-mistake-names.ts';
import { enteredRecords } from './dns-mistakes.ts';
import { domainZone } from './world-zones.ts';
import type { ShownRecord, ZoneRecord } from './zone-record.ts';
import type { ZoneStore } from './zone-store.ts';

export interface Publication {
  readonly tenantId: string;
  readonly domain: string;
  readonly records: readonly ShownRecord[];
  /** @default the records are entered as shown */
  readonly mistake?: DnsMistake | undefined;
}

/**
 * Publishes a tenant's records in place of those that it published before, so that a correction leaves nothing wrong behind.
 * Creates the zone of the registered domain if it does not exist.
 * @returns the records as the tenant entered them
 */
export function publishForTenant(
  store: Pick<ZoneStore, 'all' | 'publish' | 'replace'>,
  { tenantId, domain, records, mistake }: Publication,
): readonly ZoneRecord[] {
  const registered = registeredDomainOf(normalName(domain));
  const isZone = store.all().some(({ name, type }) => type === 'SOA' && name === registered);
  const entered = enteredRecords(domain, records, mistake);
  if (!isZone) store.publish(domainZone(registered));
  store.replace(tenantId, entered);
  return entered;
}

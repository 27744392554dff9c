import { parse } from 'tldts';
import { hostWithin, isAtOrBelow } from './domain-name.ts';

/**
 * Where a record is entered: in the form of a zone, with a host relative to it.
 *
 * @param name absolute, lower case, without a final dot
 * @param zones the zone that name servers named, newest first; null or undefined where none did
 */
export function formPlace(name: string, ...zones: readonly (string | null | undefined)[]) {
  const found = zones.find((zone) => isTenantZone(zone) && isAtOrBelow(name, zone)) ?? undefined;
  const zone = found ?? registeredDomainOf(name);
  return {
    zone,
    /** `@` for the zone itself. */
    host: hostWithin(name, zone),
    /** Whether name servers named the zone; otherwise it is the registered domain by the Public Suffix List. */
    zoneFound: found !== undefined,
  };
}

/** Whether a zone belongs to a tenant rather than to a registry, as com and co.uk do. */
export const isTenantZone = (zone: string | null | undefined): zone is string =>
  typeof zone === 'string' && zone !== '' && parse(zone, options).domain !== null;

/** The domain that was registered at a registry: acme.co.uk for mail.acme.co.uk; a public suffix itself. */
export const registeredDomainOf = (name: string): string => parse(name, options).domain ?? name;

/** Whether another owner has the zone, who alone can correct it. */
export const isElsewhere = (zone: string, domain: string): boolean =>
  registeredDomainOf(zone) !== registeredDomainOf(domain);

// Private suffixes do not count: their owners serve them as ordinary zones and may send from names below them.
const options = { allowPrivateDomains: false, detectIp: false, extractHostname: false, validateHostname: false };

import { parse } from 'tldts';
import { hostWithin, isAtOrBelow } from './domain-name.ts';

/** Where a record is entered: in the form of a zone, under a host relative to it. */
export interface FormPlace {
  readonly zone: string;
  /** `@` for the zone itself. */
  readonly host: string;
  /** Whether name servers named the zone; otherwise it is the registered domain, by the Public Suffix List. */
  readonly zoneFound: boolean;
}

/**
 * @param name absolute, lower case, without a final dot
 * @param zones the zone as name servers named it, newest first; null or undefined where none did
 */
export function formPlace(name: string, ...zones: readonly (string | null | undefined)[]): FormPlace {
  const found = zones.find((zone) => isTenantZone(zone) && isAtOrBelow(name, zone)) ?? undefined;
  const zone = found ?? registeredDomainOf(name);
  return { zone, host: hostWithin(name, zone), zoneFound: found !== undefined };
}

/** A zone below those in which registries register domains: com and co.uk are none. */
export const isTenantZone = (zone: string | null | undefined): zone is string =>
  typeof zone === 'string' && zone !== '' && parse(zone, options).domain !== null;

/** What was registered at a registry: acme.co.uk for mail.acme.co.uk. The name itself where it is a suffix. */
export const registeredDomainOf = (name: string): string => parse(name, options).domain ?? name;

// Without private suffixes: their owners serve them as zones of their own, and may send from names below them.
const options = { allowPrivateDomains: false, detectIp: false, extractHostname: false, validateHostname: false };

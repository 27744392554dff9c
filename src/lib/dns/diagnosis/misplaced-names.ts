import { hostWithin, isAtOrBelow, isBelow, parentOf } from '../domain-name.ts';
import { registeredDomainOf } from '../form-place.ts';

/** Domains above a sending domain; real ones have one or two. */
const PARENTS_MAX = 3;

/**
 * Where a record is when the host was entered longer than the form wants it: in full, without its last labels, or
 * relative to the registered domain; at the form of the zone, or at one that appends the sending domain.
 */
export function doubledNames(name: string, zone: string, domain: string): readonly string[] {
  const registered = registeredDomainOf(name);
  const [label = ''] = registered.split('.', 1);
  const hostOfRegistered = hostWithin(name, registered);
  const entered = [name, `${hostOfRegistered}.${label}`, hostOfRegistered, hostWithin(name, zone)];
  const forms = [zone, ...(isBelow(domain, zone) && isBelow(name, domain) ? [domain] : [])];
  return distinct(forms.flatMap((form) => entered.map((host) => `${host}.${form}`))).filter((one) => one !== name);
}

/** Where a record is when labels of the subdomain were left out of its host; also in a zone above the one that holds it. */
export function parentNames(name: string, domain: string): readonly string[] {
  const registered = registeredDomainOf(domain);
  if (!isBelow(name, domain)) return [];
  const names: string[] = [];
  for (let parent = parentOf(domain); isAtOrBelow(parent, registered); parent = parentOf(parent))
    names.push(`${name.slice(0, -domain.length)}${parent}`);
  return names.slice(0, PARENTS_MAX);
}

/** Where a record is when the whole host was left out. */
export function apexNames(zone: string, domain: string): readonly string[] {
  return distinct([domain, ...(isAtOrBelow(domain, zone) ? [zone] : [])]);
}

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)];

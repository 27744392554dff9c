import type { ExpectedRecord } from '../expected-record.ts';
import { hostWithin, isAtOrBelow, isBelow, parentOf } from '../names/domain-name.ts';
import { registeredDomainOf } from '../names/form-place.ts';

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

export interface OtherSelectorNames {
  /** `_domainkey.<domain>`: the selector left out. Everything in `below` is below it. */
  readonly parent: string;
  /** Names that lack `_domainkey`, or have it in another spelling. */
  readonly beside: readonly string[];
  /** Under other selectors: the examples of forms and instructions, and this one with the rest doubled or cut. */
  readonly below: readonly string[];
}

/**
 * Where a DKIM key is found when its host was not entered as shown; undefined for other records. Selectors cannot be
 * listed and ours end in random characters, so only mistakes that can be named are looked for: not a wrong character.
 */
export function otherSelectorNames({ purpose, name }: ExpectedRecord): OtherSelectorNames | undefined {
  const [, selector, domain] = /^(.+?)\._domainkey\.(.+)$/.exec(name) ?? [];
  if (purpose !== 'dkim' || selector === undefined || domain === undefined) return undefined;
  const parent = `_domainkey.${domain}`;
  const others = [`${selector}._domainkey`, ...misspelt(selector), 'default', 'dkim', 'mail', 'selector'];
  return {
    parent,
    beside: ['', ...LABELS_MISSPELT].map((label) => `${selector}.${label === '' ? '' : `${label}.`}${domain}`),
    below: [...new Set(others)].filter((other) => other !== selector).map((other) => `${other}.${parent}`),
  };
}

const LABELS_MISSPELT = ['domainkey', '_domainkeys', '_domain', '_dkim'];

/** `so20261121-k3f9` with another separator, without one of its parts, or with its first or last character cut off. */
function misspelt(selector: string): readonly string[] {
  const cut = selector.length > 3 ? [selector.slice(1), selector.slice(0, -1)] : [];
  const parts = selector.split('-');
  if (parts.length === 1 || parts.includes('')) return cut;
  return [...cut, ...['', '.', '_'].map((separator) => parts.join(separator)), parts[0] ?? '', parts.at(-1) ?? ''];
}

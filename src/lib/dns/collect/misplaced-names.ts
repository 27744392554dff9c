import type { ExpectedRecord } from '../expected-record.ts';
import { hostWithin, isAtOrBelow, isBelow, parentOf } from '../names/domain-name.ts';
import { registeredDomainOf } from '../names/form-place.ts';

/** Parent domains to try; real sending domains have one or two. */
const PARENTS_MAX = 3;

/**
 * Where a record is if the host was too long for the form: the full name, the name without its last labels, or the name relative
 * to the registered domain; in a form that appends the zone, or the sending domain.
 */
export function doubledNames(name: string, zone: string, domain: string): readonly string[] {
  const registered = registeredDomainOf(name);
  const [label = ''] = registered.split('.', 1);
  const hostOfRegistered = hostWithin(name, registered);
  const entered = [name, `${hostOfRegistered}.${label}`, hostOfRegistered, hostWithin(name, zone)];
  const forms = [zone, ...(isBelow(domain, zone) && isBelow(name, domain) ? [domain] : [])];
  return distinct(forms.flatMap((form) => entered.map((host) => `${host}.${form}`))).filter((one) => one !== name);
}

/** Where a record is if labels of the subdomain are missing from its host, also in a zone above the right one. */
export function parentNames(name: string, domain: string): readonly string[] {
  const registered = registeredDomainOf(domain);
  if (!isBelow(name, domain)) return [];
  const names: string[] = [];
  for (let parent = parentOf(domain); isAtOrBelow(parent, registered); parent = parentOf(parent))
    names.push(`${name.slice(0, -domain.length)}${parent}`);
  return names.slice(0, PARENTS_MAX);
}

/** Where a record is if its host was left out. */
export function apexNames(zone: string, domain: string): readonly string[] {
  return distinct([domain, ...(isAtOrBelow(domain, zone) ? [zone] : [])]);
}

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)];

export interface OtherSelectorNames {
  /** `_domainkey.<domain>`, without a selector; all names of `below` are below it. */
  readonly parent: string;
  /** Names without `_domainkey`, or with it misspelt. */
  readonly beside: readonly string[];
  /** Names with other selectors: common examples, and misspellings of the right one. */
  readonly below: readonly string[];
}

/**
 * Where a DKIM key is if its selector is wrong; undefined for other records. DNS cannot list selectors, so a selector with
 * a wrong character is not found.
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

/** `so20261121-k3f9` with another separator, without one of its parts, or without its first or last character. */
function misspelt(selector: string): readonly string[] {
  const cut = selector.length > 3 ? [selector.slice(1), selector.slice(0, -1)] : [];
  const parts = selector.split('-');
  if (parts.length === 1 || parts.includes('')) return cut;
  return [...cut, ...['', '.', '_'].map((separator) => parts.join(separator)), parts[0] ?? '', parts.at(-1) ?? ''];
}

import type { ExpectedRecord, RecordPurpose } from '../expected-record.ts';
import { hostWithin, isAtOrBelow, isBelow, lastLabel, parentOf } from '../names/domain-name.ts';
import { registeredDomainOf } from '../names/form-place.ts';

/** Parent domains to try; real sending domains have one or two. */
const PARENTS_MAX = 3;

/**
 * Where a record is if the host was too long for the form: the full name, the name without its last labels, or the name relative
 * to the registered domain; in a form that appends the zone, or the sending domain. The likely names first.
 */
export function doubledNames(name: string, zone: string, domain: string): readonly string[] {
  const registered = registeredDomainOf(name);
  const [label = ''] = registered.split('.', 1);
  const hostOfRegistered = hostWithin(name, registered);
  const entered = [hostWithin(name, zone), name, `${hostOfRegistered}.${label}`, hostOfRegistered, `${name}.${zone}`];
  const forms = [zone, ...(isBelow(domain, zone) && isBelow(name, domain) ? [domain] : [])];
  return distinct(entered.flatMap((host) => forms.map((form) => `${host}.${form}`))).filter((one) => one !== name);
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

/** Subdomains that tenants and forms put into a host. */
const SUBDOMAINS = ['www', 'mail'];

/**
 * Where a record is if its host was misspelt: entered twice, with a subdomain, without one of its dots, with another sign for its
 * underscore. Names with a wrong selector are in `otherSelectorNames`.
 */
export function misspeltNames({ purpose, name }: ExpectedRecord, zone: string, domain: string): readonly string[] {
  const base = isBelow(name, domain) ? domain : zone;
  const host = hostWithin(name, base);
  if (host === '@' || host === name) return [];
  const inZone = hostWithin(name, zone);
  const withSubdomain = SUBDOMAINS.flatMap((subdomain) => [`${host}.${subdomain}.${base}`, `${subdomain}.${name}`]);
  return distinct([
    ...respelt(host, purpose).map((one) => `${one}.${base}`),
    ...withoutOneDot(inZone).map((one) => `${one}.${zone}`),
    ...withoutOneDot(name).map((one) => `${one}.${zone}`),
    // A policy of a subdomain is not misplaced.
    ...(purpose === 'dmarc' ? [] : withSubdomain),
    `${host}.${name}`,
  ]).filter((one) => one !== name);
}

/** At most the last three dots, which is where hosts and domains meet. */
function withoutOneDot(name: string): readonly string[] {
  const labels = name.split('.');
  return labels
    .slice(1)
    .map((_, at) => [labels.slice(0, at + 1).join('.'), labels.slice(at + 1).join('.')].join(''))
    .slice(-3);
}

function respelt(host: string, purpose: RecordPurpose): readonly string[] {
  if (purpose === 'dkim') return [];
  if (purpose === 'dmarc') return ['dmarc', '-dmarc', '_dmark', '__dmarc', '_dmarc_', 'dmarc1', '_dmarc1'];
  return [`${host}s`, `_${host}`, host.slice(0, -1), `${host} `, `"${host}"`].filter(
    (one) => one !== '' && !one.startsWith('.'),
  );
}

/** Where a record is if its host was mistyped, or is below another host. Many names, and none of them likely. */
export function mistypedNames({ purpose, name }: ExpectedRecord, zone: string, domain: string): readonly string[] {
  const base = isBelow(name, domain) ? domain : zone;
  const host = hostWithin(name, base);
  const [first = '', ...rest] = host.split('.');
  if (host === '@') return [];
  // Forms show hosts one below the other.
  const others = purpose === 'dmarc' ? ['_domainkey', 'dmarc'] : ['bounce', 'email', '_dmarc'];
  const below = [...others, lastLabel(base)].map((other) => `${host}.${other}`);
  const firsts = [...mistyped(first), ...(purpose === 'spf' ? [`spf.${first}`, `_spf.${first}`] : [])];
  const hosts = purpose === 'dkim' ? mistypedKeyHosts(first, rest) : firsts.map((label) => [label, ...rest].join('.'));
  return distinct([...below, ...hosts].map((one) => `${one}.${base}`));
}

/** Hosts with typos at the ends of the selector, or digits that look like letters. */
function mistypedKeyHosts(selector: string, [label = '', ...others]: readonly string[]): readonly string[] {
  const selectors = [
    'selector1',
    'google',
    'k1',
    ...added(selector),
    selector.replace('o', '0'),
    selector.replace('1', 'l'),
  ];
  const labels = ['domain-key', 'domain_key', '_domain.key', ...mistyped(label)];
  return [
    ...selectors.filter((one) => one !== selector).map((one) => [one, label, ...others]),
    ...[`${selector}_${label}`, ...labels.map((one) => `${selector}.${one}`)].map((one) => [one, ...others]),
  ].map((labelsOfHost) => labelsOfHost.join('.'));
}

/** With one character added at an end, one lost, or two swapped. */
function mistyped(label: string): readonly string[] {
  const places = Array.from(label.slice(1), (_, at) => at + 1);
  return [
    ...added(label),
    ...[0, ...places].map((at) => label.slice(0, at) + label.slice(at + 1)),
    ...places.map((at) => `${label.slice(0, at - 1)}${label.charAt(at)}${label.charAt(at - 1)}${label.slice(at + 1)}`),
  ].filter((one) => one !== '' && one !== label);
}

const added = (label: string): readonly string[] => [
  ...['s', '1', '_', '-', label.slice(-1)].map((last) => `${label}${last}`),
  ...['_', '-'].map((first) => `${first}${label}`),
];

export interface OtherSelectorNames {
  /** `_domainkey.<domain>`, without a selector; all names of `below` are below it. */
  readonly parent: string;
  /** Names without `_domainkey`, or with it misspelt; like the others, the likely ones first. */
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
  const others = [
    'default',
    `_${selector}`,
    ...misspelt(selector),
    ` ${selector}`,
    `${selector}s`,
    `${selector}._domainkey`,
    'dkim',
    'mail',
    'selector',
  ];
  const [likely, ...unlikely] = LABELS_MISSPELT.map((label) => `${selector}.${label}`);
  const hosts = [
    selector,
    likely,
    `_domainkey.${selector}`,
    ...['', '_', '-', '-_'].map((sign) => `${selector}${sign}domainkey`),
    ...unlikely,
    `"${selector}._domainkey"`,
  ];
  return {
    parent,
    beside: hosts.map((host) => `${host}.${domain}`),
    below: [...new Set(others)].filter((other) => other !== selector).map((other) => `${other}.${parent}`),
  };
}

const LABELS_MISSPELT = [
  'domainkey',
  '-domainkey',
  '_domainkeys',
  '_domain',
  '_dkim',
  'dkim',
  '__domainkey',
  'domainkeys',
  '_domain-key',
  '_domain_key',
  '_domiankey',
  '_domainkey_',
  '_domainkey ',
  '_domainkey:',
] as const;

/** `so20261121-k3f9` with another separator, without one of its parts, or without its first or last character. */
function misspelt(selector: string): readonly string[] {
  const cut = selector.length > 3 ? [selector.slice(1), selector.slice(0, -1)] : [];
  const parts = selector.split('-');
  if (parts.length === 1 || parts.includes('')) return cut;
  return [...cut, ...['', '.', '_'].map((separator) => parts.join(separator)), parts[0] ?? '', parts.at(-1) ?? ''];
}

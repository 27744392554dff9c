import type { ExpectedRecord, RecordPurpose } from '../expected-record.ts';
import { hostWithin, isAtOrBelow, isBelow, lastLabel, namesAbove } from '../names/domain-name.ts';
import { registeredDomainOf } from '../names/form-place.ts';
import { typingErrors } from './typing-errors.ts';

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
  const entered = [
    hostWithin(name, zone),
    name,
    `${hostOfRegistered}.${label}`,
    hostOfRegistered,
    `${name}.${zone}`,
    `${hostWithin(name, zone)}.${domain}`,
    `${hostWithin(name, zone)}.www.${zone}`,
  ];
  const forms = [zone, ...(isBelow(domain, zone) && isBelow(name, domain) ? [domain] : [])];
  return othersThan(
    name,
    entered.flatMap((host) => forms.map((form) => `${host}.${form}`)),
  );
}

/** Where a record is if labels of the subdomain are missing from its host, also in a zone above the right one. */
export function parentNames(name: string, domain: string): readonly string[] {
  if (!isBelow(name, domain)) return [];
  const registered = registeredDomainOf(domain);
  const parents = namesAbove(domain).filter((parent) => isAtOrBelow(parent, registered));
  return parents.slice(0, PARENTS_MAX).map((parent) => `${name.slice(0, -domain.length)}${parent}`);
}

/** Where a record is if its host was left out. */
export function apexNames(zone: string, domain: string): readonly string[] {
  return [...new Set(isAtOrBelow(domain, zone) ? [domain, zone] : [domain])];
}

const othersThan = (name: string, names: readonly string[]): readonly string[] =>
  [...new Set(names)].filter((one) => one !== name);

/** The domain to which a host is relative: the sending domain, for a name outside of it the zone. */
function placeOf(name: string, zone: string, domain: string): { readonly host: string; readonly base: string } {
  const base = isBelow(name, domain) ? domain : zone;
  return { host: hostWithin(name, base), base };
}

/** Subdomains that tenants and forms put into a host. */
const SUBDOMAINS = ['www', 'mail', 'smtp'];

/**
 * Where a record is if its host was misspelt: entered twice, with a subdomain, without one of its dots, with another sign for its
 * underscore. Names with a wrong selector are in `otherSelectorNames`.
 */
export function misspeltNames({ purpose, name }: ExpectedRecord, zone: string, domain: string): readonly string[] {
  const { host, base } = placeOf(name, zone, domain);
  if (host === '@' || host === name) return [];
  const inZone = hostWithin(name, zone);
  const withSubdomain = SUBDOMAINS.flatMap((subdomain) => [
    `${host}.${subdomain}.${base}`,
    `${inZone}.${subdomain}.${zone}`,
    `${subdomain}.${name}`,
  ]);
  return othersThan(name, [
    ...respelt(host, purpose).map((one) => `${one}.${base}`),
    ...withoutOneDot(inZone, '', '-').map((one) => `${one}.${zone}`),
    ...withoutOneDot(name, '').map((one) => `${one}.${zone}`),
    // A policy of a subdomain is not misplaced.
    ...(purpose === 'dmarc' ? [] : withSubdomain),
    `${host}.${name}`,
  ]);
}

/** At most the last three dots, which is where hosts and domains meet. */
function withoutOneDot(name: string, ...signs: readonly string[]): readonly string[] {
  const labels = name.split('.');
  const places = labels.slice(1).map((_, at) => at + 1);
  return places
    .slice(-3)
    .flatMap((at) => signs.map((sign) => [labels.slice(0, at).join('.'), labels.slice(at).join('.')].join(sign)));
}

function respelt(host: string, purpose: RecordPurpose): readonly string[] {
  if (purpose === 'dkim') return [];
  if (purpose === 'dmarc')
    return ['dmarc', '-dmarc', '_dmark', '__dmarc', '_dmarc_', 'dmarc1', '_dmarc1', '_domainkey'];
  return [
    `${host}s`,
    `_${host}`,
    `${host} `,
    `"${host}"`,
    ...(purpose === 'spf' ? ['spf', '_spf', 'www'] : ['mx', 'mail']),
  ];
}

/** Where a record is if its host was mistyped, in the groups of `typingErrors`. */
export function mistypedNames(
  { purpose, name }: ExpectedRecord,
  zone: string,
  domain: string,
): readonly (readonly string[])[] {
  const { host, base } = placeOf(name, zone, domain);
  if (host === '@') return [];
  const [first = '', second, ...rest] = host.split('.');
  const labelsOf = (errors: readonly string[]): Labels[] => errors.map((one) => [one, second, ...rest]);
  const firsts = typingErrors(first).map(labelsOf);
  const seconds =
    purpose === 'dkim' && second !== undefined
      ? typingErrors(second).map((errors) => errors.map((one): Labels => [first, one, ...rest]))
      : [];
  // A selector is longer, and no word. Where its parent does not exist, none of its names is asked for.
  const groups = [...firsts.map((hosts, at) => [...hosts, ...(seconds[at - 1] ?? [])]), ...seconds.slice(-1)];
  const nameOf = (labels: Labels): string => [...labels, base].filter((label) => label !== undefined).join('.');
  return groups.map((hosts) => othersThan(name, hosts.map(nameOf)));
}

type Labels = readonly (string | undefined)[];

/** Where a record is if its host has a sign more, or is below another host. */
export function extendedNames({ purpose, name }: ExpectedRecord, zone: string, domain: string): readonly string[] {
  const { host, base } = placeOf(name, zone, domain);
  const [first = '', ...rest] = host.split('.');
  if (host === '@') return [];
  // Forms show hosts one below the other.
  const others = purpose === 'dmarc' ? ['_domainkey', 'dmarc', 'bounce'] : ['bounce', '_domainkey', 'email', '_dmarc'];
  const hosts = [
    ...[...others, lastLabel(base)].map((other) => `${host}.${other}`),
    ...signsAdded(first).map((one) => [one, ...rest].join('.')),
    ...(purpose === 'dkim' ? extendedKeyHosts(first, rest) : []),
    ...(purpose === 'dmarc' ? ['dmarc._domainkey'] : ['www', 'mail', 'email', '_dmarc']),
    ...[':', ','].map((sign) => `${host}${sign}`),
    ...(purpose === 'spf' ? [`spf.${host}`, `_spf.${host}`, 'return', 'return-path'] : []),
  ];
  const inZone = purpose === 'dkim' ? [first, 'www', 'email', 'dkim'] : ['www'];
  return othersThan(name, [
    ...hosts.map((one) => `${one}.${base}`),
    ...(purpose === 'dmarc' ? [] : inZone.map((one) => `${one}.${zone}`)),
  ]);
}

const signsAdded = (label: string): readonly string[] => [
  ...['s', '1', '_', '-'].map((last) => `${label}${last}`),
  ...['_', '-'].map((first) => `${first}${label}`),
];

function extendedKeyHosts(selector: string, [label = '', ...others]: readonly string[]): readonly string[] {
  const selectors = ['selector1', 'google', 'k1', 's1'].filter((one) => one !== selector);
  const labels = ['domain-key', 'domain_key', '_domain.key', '_dmarc', ...signsAdded(label)];
  return [
    ...[...selectors, `${selector}.${selector}`, `selector.${selector}`].map((one) => `${one}.${label}`),
    ...[`${selector}_${label}`, ...labels.map((one) => `${selector}.${one}`)],
  ].map((host) => [host, ...others].join('.'));
}

/**
 * Where a DKIM key is if its selector is wrong; undefined for other records. Those with an error of
 * typing are in `mistypedNames`.
 */
export function otherSelectorNames({ purpose, name }: ExpectedRecord) {
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
    `${selector}${selector}`,
    'dkim',
    'mail',
    'email',
    'selector',
  ];
  const [likely, ...unlikely] = LABELS_MISSPELT.map((label) => `${selector}.${label}`);
  const hosts = [
    selector,
    likely,
    `_domainkey.${selector}`,
    ...['', '_', '-', '-_'].map((sign) => `${selector}${sign}domainkey`),
    ...unlikely,
    'dkim',
    `"${selector}._domainkey"`,
    `'${selector}._domainkey'`,
    `${selector}._domainkey.${selector}`,
  ];
  return {
    /** Without a selector; all names of `below` are below it. */
    parent,
    /** Names without `_domainkey`, or with it misspelt; like the others, the likely ones first. */
    beside: hosts.map((host) => `${host}.${domain}`),
    /** Names with other selectors: common examples, and misspellings of the right one. */
    below: [...new Set(others)].filter((other) => other !== selector).map((other) => `${other}.${parent}`),
  };
}

const LABELS_MISSPELT = [
  'domainkey',
  '-domainkey',
  '_domainkeys',
  '_domain',
  '_domains',
  '_dkim',
  'dkim',
  '__domainkey',
  'domainkeys',
  '_domain-key',
  '_domain_key',
  '_domainkey_',
  '_domainkey ',
  '_domainkey:',
] as const;

/** `so20261121-k3f9` with another separator, without one of its parts, or without its first or last character. */
function misspelt(selector: string): readonly string[] {
  const cut = selector.length > 3 ? [selector.slice(1), selector.slice(0, -1)] : [];
  const parts = selector.split('-');
  if (parts.length === 1 || parts.includes('')) return cut;
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  return [...cut, ...['', '.', '_'].map((separator) => parts.join(separator)), first, last, `${first}-`];
}

import ipaddr from 'ipaddr.js';
import { withoutWideCharacters } from '../records/damaged-text.ts';
import { withPlainSpaces } from '../records/folding-whitespace.ts';
import { covers, type Network } from './spf-network.ts';
import { isDomainSpec, isMacroString } from './spf-macro.ts';

export interface SpfTerm {
  readonly kind: 'mechanism' | 'modifier';
  /** `+` when none is written, RFC 7208 section 4.6.2. Modifiers have none. */
  readonly qualifier: '+' | '-' | '~' | '?' | '';
  /** Lower case. */
  readonly name: string;
  /** The text after the name, lower case, without the colon and without a final dot. */
  readonly value: string;
  /** The domain-spec in the value, RFC 7208 section 7.1; empty when the term refers to the domain itself. */
  readonly target: string;
  /** Bits of an address that must match, for `a` and `mx`: RFC 7208 section 5.6. */
  readonly prefixBits: { readonly ipv4: number; readonly ipv6: number };
  /** Network of `ip4` and `ip6`. */
  readonly network?: Network;
}

/** A record is SPF when `v=spf1` is followed by a space or by nothing, RFC 7208 section 4.5. */
export function isSpf(value: string): boolean {
  return /^v=spf1(?: |$)/i.test(value);
}

/** Meant as SPF, but receivers do not read it as such: `ip4:192.0.2.1 -all`, `spf1 mx -all`, `v=spf2.0 include:example.com`. */
export function isSpfWithoutVersion(value: string): boolean {
  const text = withoutWideCharacters(withPlainSpaces(value));
  if (isSpf(text)) return text !== value && !isSpf(withPlainSpaces(value));
  if (/^(?:v ?[=:-]? ?spf|[=:]?spf[\d ])/i.test(text)) return true;
  // A word such as "a" or "mx" may be anything.
  const mechanisms = (parseSpf(`v=spf1 ${text}`) ?? []).filter(({ kind }) => kind === 'mechanism');
  const namesSenders = mechanisms.some(({ target, network }) => target !== '' || network !== undefined);
  return mechanisms.some(({ name }) => name === 'all') || namesSenders;
}

/** The terms of an SPF record, RFC 7208 section 4.6.1; undefined when receivers report a permanent error. */
export function parseSpf(value: string): readonly SpfTerm[] | undefined {
  const terms: SpfTerm[] = [];
  for (const word of value.split(' ').slice(1)) {
    if (word === '') continue;
    const term = parseTerm(word);
    if (term === undefined) return undefined;
    terms.push(term);
  }
  // RFC 7208 section 6 allows redirect and exp only once; some receivers reject any repeated modifier.
  const modifiers = terms.filter((term) => term.kind === 'modifier').map((term) => term.name);
  return new Set(modifiers).size < modifiers.length ? undefined : terms;
}

/** As `parseSpf`. */
export type ReadSpf = (value: string) => readonly SpfTerm[] | undefined;

export type SpfComparison = 'same' | 'syntax' | 'afterAll' | 'overruled' | 'missing';

/** Compares the text of the published record with the expected one, without DNS; only `judgeSpf` evaluates the record. */
export function compareSpf(expected: string, published: string): SpfComparison {
  const wanted = parseSpf(expected);
  const terms = parseSpf(published);
  if (terms === undefined) return 'syntax';
  // An expected record that breaks the rules can only be compared as text.
  if (wanted === undefined) return expected.trim() === published.trim() ? 'same' : 'missing';
  const mechanisms = terms.filter((term) => term.kind === 'mechanism');
  const comparisons = neededOf(wanted).map((term) => compareMechanism(term, mechanisms));
  return (['missing', 'afterAll', 'overruled'] as const).find((one) => comparisons.includes(one)) ?? 'same';
}

function neededOf(wanted: readonly SpfTerm[]): readonly SpfTerm[] {
  return wanted.filter((term) => term.kind === 'mechanism' && term.name !== 'all' && term.qualifier === '+');
}

/** Receivers read from left to right, and the first mechanism that matches decides, RFC 7208 section 4.6.2. */
function compareMechanism(needed: SpfTerm, mechanisms: readonly SpfTerm[]): Exclude<SpfComparison, 'syntax'> {
  const at = mechanisms.findIndex((term) => passes(term, needed));
  if (at === -1) return 'missing';
  const before = mechanisms.slice(0, at).find((term) => mayDecideOtherwise(term, needed));
  if (before === undefined) return 'same';
  return before.name === 'all' ? 'afterAll' : 'overruled';
}

/** Every address that the needed mechanism matches passes by this term. */
function passes(term: SpfTerm, needed: SpfTerm): boolean {
  if (term.qualifier !== '+' || term.name !== needed.name) return false;
  if (term.network === undefined || needed.network === undefined) return term.value === needed.value;
  return covers(term.network, needed.network);
}

/** Receivers stop at `all`. What terms other than networks match is unknown here. */
function mayDecideOtherwise(term: SpfTerm, needed: SpfTerm): boolean {
  if (term.name === 'all') return true;
  if (term.qualifier === '+') return false;
  if (term.network === undefined || needed.network === undefined) return true;
  return covers(term.network, needed.network) || covers(needed.network, term.network);
}

/** Prefix lengths without leading zeros, RFC 7208 section 5.6. */
const PREFIX_4 = '/(3[0-2]|[12]?[0-9])';
const PREFIX_6 = '/(12[0-8]|1[01][0-9]|[1-9]?[0-9])';
const prefixes = new RegExp(`(?:${PREFIX_4})?(?:/${PREFIX_6})?$`);

/** Whether a domain-spec may, must or must not follow the name, and whether prefix lengths may. */
const mechanismShapes: ReadonlyMap<string, { readonly target: 'may' | 'must' | 'no'; readonly prefixes?: true }> =
  new Map([
    ['all', { target: 'no' }],
    ['include', { target: 'must' }],
    ['a', { target: 'may', prefixes: true }],
    ['mx', { target: 'may', prefixes: true }],
    ['ptr', { target: 'may' }],
    ['exists', { target: 'must' }],
  ]);

const networkShapes: ReadonlyMap<string, RegExp> = new Map([
  ['ip4', new RegExp(`^:[0-9.]+(?:${PREFIX_4})?$`)],
  ['ip6', new RegExp(`^:[0-9a-f:.]+(?:${PREFIX_6})?$`)],
]);

const WHOLE_ADDRESS = { ipv4: 32, ipv6: 128 };

function parseTerm(word: string): SpfTerm | undefined {
  const text = word.toLowerCase();
  const modifier = /^([a-z][a-z0-9_.-]*)=(.*)$/s.exec(text);
  if (modifier) {
    const [, name = '', value = ''] = modifier;
    const isValid = ['redirect', 'exp'].includes(name) ? isDomainSpec(value) : isMacroString(value);
    const target = value.replace(/\.$/, '');
    return isValid ? { kind: 'modifier', qualifier: '', name, value, target, prefixBits: WHOLE_ADDRESS } : undefined;
  }
  const qualifier = qualifiers.find((sign) => text.startsWith(sign)) ?? '+';
  const [, name = '', rest = ''] = /^[-+~?]?([a-z][a-z0-9]*)(.*)$/s.exec(text) ?? [];
  const about = { kind: 'mechanism', qualifier, name, value: rest.replace(/^:/, '').replace(/\.$/, '') } as const;
  const network = networkShapes.get(name)?.test(rest) === true ? parseNetwork(name, rest.slice(1)) : undefined;
  if (network !== undefined) return { ...about, target: '', prefixBits: WHOLE_ADDRESS, network };
  const shape = mechanismShapes.get(name);
  if (shape === undefined) return undefined;
  const [suffix = '', four = '32', six = '128'] = (shape.prefixes && prefixes.exec(rest)) ?? [];
  const target = rest.slice(0, rest.length - suffix.length);
  if (target === '' ? shape.target === 'must' : shape.target === 'no' || !isTarget(target)) return undefined;
  const prefixBits = { ipv4: Number(four), ipv6: Number(six) };
  return { ...about, target: target.slice(1).replace(/\.$/, ''), prefixBits };
}

function isTarget(text: string): boolean {
  return text.startsWith(':') && isDomainSpec(text.slice(1));
}

const qualifiers = ['+', '-', '~', '?'] as const;

function parseNetwork(name: string, text: string): Network | undefined {
  const [address = '', prefix] = text.split('/');
  if (name === 'ip4') {
    if (!ipaddr.IPv4.isValidFourPartDecimal(address)) return undefined;
    return { address: ipaddr.IPv4.parse(address), prefixBits: Number(prefix ?? 32) };
  }
  return ipaddr.IPv6.isValid(address)
    ? { address: ipaddr.IPv6.parse(address), prefixBits: Number(prefix ?? 128) }
    : undefined;
}

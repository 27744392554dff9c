import ipaddr from 'ipaddr.js';

export interface SpfTerm {
  readonly kind: 'mechanism' | 'modifier';
  /** `+` when none is written, RFC 7208 section 4.6.2. Modifiers have none. */
  readonly qualifier: '+' | '-' | '~' | '?' | '';
  /** Lower case. */
  readonly name: string;
  /** What follows the name, lower case, without the colon and a final dot. */
  readonly value: string;
  /** Of `ip4` and `ip6`. */
  readonly network?: Network;
}

interface Network {
  readonly address: ipaddr.IPv4 | ipaddr.IPv6;
  readonly prefixBits: number;
}

/** A record is SPF when `v=spf1` is followed by a space or by nothing, RFC 7208 section 4.5. */
export function isSpf(value: string): boolean {
  return /^v=spf1(?: |$)/i.test(value);
}

/** The terms of an SPF record, RFC 7208 section 4.6.1; undefined where receivers report a permanent error. */
export function parseSpf(value: string): readonly SpfTerm[] | undefined {
  const terms: SpfTerm[] = [];
  for (const word of value.trim().split(/ +/).slice(1)) {
    const term = parseTerm(word);
    if (term === undefined) return undefined;
    terms.push(term);
  }
  // RFC 7208 section 6: these two may stand there once.
  const isTwice = (name: string): boolean => terms.filter((term) => isModifier(term, name)).length > 1;
  return isTwice('redirect') || isTwice('exp') ? undefined : terms;
}

export type SpfComparison = 'same' | 'syntax' | 'afterAll' | 'overruled' | 'missing';

/**
 * Whether whatever passes by the expected record's mechanisms passes by the published record too. What a chain of
 * includes may add is not looked up: the expected mechanism, or a network around it, must stand in the record itself.
 */
export function compareSpf(expected: string, published: string): SpfComparison {
  const wanted = parseSpf(expected);
  const terms = parseSpf(published);
  if (terms === undefined) return 'syntax';
  // A provider's own record that breaks the rules can only be compared as text.
  if (wanted === undefined) return expected.trim() === published.trim() ? 'same' : 'missing';
  const mechanisms = terms.filter((term) => term.kind === 'mechanism');
  const comparisons = neededOf(wanted).map((term) => compareMechanism(term, mechanisms));
  return (['missing', 'afterAll', 'overruled'] as const).find((one) => comparisons.includes(one)) ?? 'same';
}

/** Which mechanism of the published record is the last that passes an expected one; -1 when none does. */
export function positionOfNeeded(expected: string, published: string): number {
  const mechanisms = parseSpf(published)?.filter((term) => term.kind === 'mechanism') ?? [];
  const positions = neededOf(parseSpf(expected) ?? []).map((needed) =>
    mechanisms.findIndex((term) => passes(term, needed)),
  );
  return Math.max(-1, ...positions);
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

/** All that the needed mechanism matches passes by this one. */
function passes(term: SpfTerm, needed: SpfTerm): boolean {
  if (term.qualifier !== '+' || term.name !== needed.name) return false;
  if (term.network === undefined || needed.network === undefined) return term.value === needed.value;
  return covers(term.network, needed.network);
}

/** Nobody reads on behind `all`. What other terms than networks match is not known here. */
function mayDecideOtherwise(term: SpfTerm, needed: SpfTerm): boolean {
  if (term.name === 'all') return true;
  if (term.qualifier === '+') return false;
  if (term.network === undefined || needed.network === undefined) return true;
  return covers(term.network, needed.network) || covers(needed.network, term.network);
}

function covers(outer: Network, inner: Network): boolean {
  return (
    outer.address.kind() === inner.address.kind() &&
    outer.prefixBits <= inner.prefixBits &&
    inner.address.match(outer.address, outer.prefixBits)
  );
}

function isModifier(term: SpfTerm, name: string): boolean {
  return term.kind === 'modifier' && term.name === name;
}

/** Prefix lengths without leading zeros, RFC 7208 section 5.6. */
const PREFIX_4 = '/(?:3[0-2]|[12]?[0-9])';
const PREFIX_6 = '/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9])';
const hostShape = new RegExp(`^(?::[^/\\s]+)?(?:${PREFIX_4})?(?:/${PREFIX_6})?$`);

const mechanismShapes: ReadonlyMap<string, RegExp> = new Map([
  ['all', /^$/],
  ['include', /^:\S+$/],
  ['a', hostShape],
  ['mx', hostShape],
  ['ptr', /^(?::\S+)?$/],
  ['ip4', new RegExp(`^:[0-9.]+(?:${PREFIX_4})?$`)],
  ['ip6', new RegExp(`^:[0-9a-f:.]+(?:${PREFIX_6})?$`)],
  ['exists', /^:\S+$/],
]);

function parseTerm(word: string): SpfTerm | undefined {
  const text = word.toLowerCase();
  const modifier = /^([a-z][a-z0-9_.-]*)=(\S*)$/.exec(text);
  if (modifier) {
    const [, name = '', value = ''] = modifier;
    if (value === '' && ['redirect', 'exp'].includes(name)) return undefined;
    return { kind: 'modifier', qualifier: '', name, value };
  }
  const qualifier = qualifiers.find((sign) => text.startsWith(sign)) ?? '+';
  const mechanism = /^[-+~?]?([a-z][a-z0-9]*)(.*)$/.exec(text);
  const name = mechanism?.[1] ?? '';
  const rest = mechanism?.[2] ?? '';
  if (mechanismShapes.get(name)?.test(rest) !== true) return undefined;
  const term = { kind: 'mechanism', qualifier, name, value: rest.replace(/^:/, '').replace(/\.$/, '') } as const;
  if (name !== 'ip4' && name !== 'ip6') return term;
  const network = parseNetwork(name, rest.slice(1));
  return network && { ...term, network };
}

const qualifiers = ['+', '-', '~', '?'] as const;

function parseNetwork(name: 'ip4' | 'ip6', text: string): Network | undefined {
  const [address = '', prefix] = text.split('/');
  if (name === 'ip4') {
    if (!ipaddr.IPv4.isValidFourPartDecimal(address)) return undefined;
    return { address: ipaddr.IPv4.parse(address), prefixBits: Number(prefix ?? 32) };
  }
  return ipaddr.IPv6.isValid(address)
    ? { address: ipaddr.IPv6.parse(address), prefixBits: Number(prefix ?? 128) }
    : undefined;
}

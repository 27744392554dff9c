interface SpfTerm {
  readonly kind: 'mechanism' | 'modifier';
  /** `+` when none is written, RFC 7208 section 4.6.2. Modifiers have none. */
  readonly qualifier: '+' | '-' | '~' | '?' | '';
  /** Lower case. */
  readonly name: string;
  /** What follows the name, lower case, in one spelling: `127.0.0.1/32` and `127.0.0.1` are the same. */
  readonly value: string;
}

/** A record is SPF when `v=spf1` is followed by a space or by nothing, RFC 7208 section 4.5. */
export function isSpf(value: string): boolean {
  return /^v=spf1(?: |$)/i.test(value);
}

/** The terms of an SPF record, RFC 7208 section 4.6.1; undefined when a term is none (a permanent error for receivers). */
function parseSpf(value: string): readonly SpfTerm[] | undefined {
  const terms: SpfTerm[] = [];
  for (const word of value.trim().split(/ +/).slice(1)) {
    const term = parseTerm(word);
    if (term === undefined) return undefined;
    terms.push(term);
  }
  return terms;
}

export type SpfComparison = 'same' | 'syntax' | 'afterAll' | 'missing';

/**
 * Whether whatever passes by the expected record's mechanisms passes by the published record too. What a chain of
 * includes may add is not looked up: the expected mechanism must stand in the record itself.
 */
export function compareSpf(expected: string, published: string): SpfComparison {
  const wanted = parseSpf(expected);
  const terms = parseSpf(published);
  if (terms === undefined) return 'syntax';
  // A provider's own record that breaks the rules can only be compared as text.
  if (wanted === undefined) return expected.trim() === published.trim() ? 'same' : 'missing';
  const mechanisms = terms.filter((term) => term.kind === 'mechanism');
  const allAt = mechanisms.findIndex((term) => term.name === 'all');
  const read = allAt === -1 ? mechanisms : mechanisms.slice(0, allAt);
  const needed = wanted.filter((term) => term.kind === 'mechanism' && term.name !== 'all' && term.qualifier === '+');
  const missing = needed.filter((term) => !read.some((other) => sameTerm(term, other)));
  if (missing.length === 0) return 'same';
  return missing.every((term) => mechanisms.some((other) => sameTerm(term, other))) ? 'afterAll' : 'missing';
}

function sameTerm(left: SpfTerm, right: SpfTerm): boolean {
  return left.name === right.name && left.value === right.value && left.qualifier === right.qualifier;
}

const mechanismShapes: Readonly<Record<string, RegExp>> = {
  all: /^$/,
  include: /^:\S+$/,
  a: /^(?::[^/\s]+)?(?:\/\d{1,2})?(?:\/\/\d{1,3})?$/,
  mx: /^(?::[^/\s]+)?(?:\/\d{1,2})?(?:\/\/\d{1,3})?$/,
  ptr: /^(?::\S+)?$/,
  ip4: /^:\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?$/,
  ip6: /^:[0-9a-f:.]+(?:\/\d{1,3})?$/,
  exists: /^:\S+$/,
};

function parseTerm(word: string): SpfTerm | undefined {
  const text = word.toLowerCase();
  const modifier = /^([a-z][a-z0-9_.-]*)=(\S*)$/.exec(text);
  if (modifier) return { kind: 'modifier', qualifier: '', name: modifier[1] ?? '', value: modifier[2] ?? '' };
  const qualifier = qualifiers.find((sign) => text.startsWith(sign));
  const mechanism = /^[-+~?]?([a-z][a-z0-9]*)(.*)$/.exec(text);
  const name = mechanism?.[1] ?? '';
  const value = mechanism?.[2] ?? '';
  if (mechanismShapes[name]?.test(value) !== true) return undefined;
  return { kind: 'mechanism', qualifier: qualifier ?? '+', name, value: oneSpelling(name, value) };
}

const qualifiers = ['+', '-', '~', '?'] as const;

function oneSpelling(name: string, value: string): string {
  const target = value.replace(/^:/, '').replace(/\.$/, '');
  if (name === 'ip4') return target.replace(/\/32$/, '');
  return name === 'ip6' ? target.replace(/\/128$/, '') : target;
}

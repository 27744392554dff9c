import { decoded, unescaped, withoutLabel, withoutZoneLine } from './damaged-text.ts';
import { trimFoldingWhitespace, unquoted, withPlainSpaces } from './folding-whitespace.ts';

/** Whether a value is a DMARC record; receivers ignore all others at the name, as one with a space before it: RFC 7489 section 6.6.3. */
export const isDmarc = (value: string): boolean => /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/.test(value);

/**
 * Whether receivers apply the policy (RFC 7489 section 6.6.3 step 6): `p` and `sp` are valid, or there is a valid address for
 * reports, with which they apply `p=none`.
 */
export function isValidDmarc(value: string): boolean {
  if (!isDmarc(value)) return false;
  const tags = readTags(value);
  const policies = [tags.get('p'), tags.get('sp') ?? 'none'];
  return policies.every(isPolicy) || (tags.get('rua') ?? '').split(',').some(isReportAddress);
}

/** The one policy among the values at a name. Of several, none applies. */
export function policyAmong(values: readonly string[]): 'none' | 'valid' | 'invalid' {
  const policies = values.filter(isDmarc);
  if (policies.length === 0) return 'none';
  return policies.length === 1 && policies.every(isValidDmarc) ? 'valid' : 'invalid';
}

/** The policy that a value was meant as, so that a tenant who wants `p=reject` is not given `p=none`. */
export function intendedPolicy(value: string): string | undefined {
  const plain = withPlainSpaces(unquoted(unescaped(withoutLabel(withoutZoneLine(decoded(value))))));
  return [value, plain, rewritten(plain)].find(isValidDmarc);
}

const POLICIES = ['none', 'quarantine', 'reject'] as const;

const strictnessOf = (policy: string | undefined): number => POLICIES.findIndex((one) => one === policy?.toLowerCase());

/** Of two values the one whose policy for the domain itself is stricter; the first of equal ones. */
export const stricterOf = (one: string | undefined, other: string | undefined): string | undefined =>
  strictnessOf(readTags(other ?? '').get('p')) > strictnessOf(readTags(one ?? '').get('p')) ? other : one;

/**
 * The record with which a subdomain keeps what a record above asks for, so that adding one weakens nothing: receivers differ in which of
 * `p`, `sp` and `np` (RFC 9091, RFC 9989) they apply to it. Undefined if it asks for nothing.
 */
export function inheritedPolicy(value: string): string | undefined {
  const tags = readTags(intendedPolicy(value) ?? '');
  const own = tags.get('sp') ?? tags.get('p');
  const strictest = POLICIES[Math.max(strictnessOf(own), strictnessOf(tags.get('np')))];
  if (strictest === undefined || strictest === 'none') return undefined;
  const reports = tags.get('rua');
  return ['v=DMARC1', `p=${strictest}`, ...(reports === undefined ? [] : [`rua=${reports}`])].join('; ');
}

/** Whether a record of the domain itself asks for a stricter policy than those above. */
export function asksForMore(value: string, above: readonly string[]): boolean {
  const inherited = above.map(inheritedPolicy).reduce(stricterOf, 'v=DMARC1; p=none');
  return stricterOf(inherited, value) !== inherited;
}

/** The policy and where its reports go, with other separators, in any case and order. */
function rewritten(value: string): string {
  if (!/dmarc/i.test(value)) return '';
  const tags = new Map<string, string>();
  for (const [, name = '', tag = ''] of value.matchAll(/\b(p|sp|rua)[ \t]*[=:][ \t]*([^\s;,|\uff1b]+)/gi))
    if (!tags.has(name.toLowerCase())) tags.set(name.toLowerCase(), tag);
  const [policy, subdomains, reports] = ['p', 'sp', 'rua'].map((name) => tags.get(name) ?? '');
  return [
    'v=DMARC1',
    `p=${(policy ?? '').toLowerCase()}`,
    ...(isPolicy(subdomains) ? [`sp=${(subdomains ?? '').toLowerCase()}`] : []),
    ...(isReportAddress(reports ?? '') ? [`rua=${reports ?? ''}`] : []),
  ].join('; ');
}

const isPolicy = (policy: string | undefined): boolean => strictnessOf(policy) >= 0;

const isReportAddress = (uri: string): boolean => /^mailto:[^@\s]+@[^@\s]+$/i.test(trimFoldingWhitespace(uri));

/** Unreadable tags are ignored, and the first of a repeated tag counts (RFC 7489 section 6.3). */
function readTags(value: string): Map<string, string> {
  const tags = new Map<string, string>();
  for (const tag of value.split(';')) {
    const equals = tag.indexOf('=');
    const name = trimFoldingWhitespace(tag.slice(0, Math.max(equals, 0)));
    if (name !== '' && !tags.has(name)) tags.set(name, trimFoldingWhitespace(tag.slice(equals + 1)));
  }
  return tags;
}

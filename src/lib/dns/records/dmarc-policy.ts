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

/** Whether a text at the name of a DMARC record was meant as one. */
export const isMeantAsDmarc = (value: string): boolean =>
  /dmarc|\bv ?[=:]? ?d(?!kim)[a-z]{3,5}\d/i.test(value) ||
  /(?:^|[\s;,"'])p(?:olicy)? ?[=:]\W{0,3}(?:none|quar|rej)/i.test(value);

/** The policy that a value was meant as, so that a tenant who wants `p=reject` is not given `p=none`. */
export function intendedPolicy(value: string): string | undefined {
  const bare = (text: string): string => withPlainSpaces(unquoted(unescaped(withoutLabel(withoutZoneLine(text)))));
  const plain = bare(decoded(value));
  // `<reject>` is no HTML.
  return [value, plain, rewritten(bare(value)), rewritten(plain)].find(
    (one) => isValidDmarc(one) && !isUnread(readTags(one)),
  );
}

/** Whether receivers apply `p=none` instead of what was meant, because the record has an address for reports (section 6.6.3 step 6). */
export function isWeakerThanMeant(value: string): boolean {
  const meant = readTags(intendedPolicy(value) ?? '');
  const isStrict = ['p', 'sp'].some((name) => strictnessOf(meant.get(name)) > strictnessOf('none'));
  return isValidDmarc(value) && isUnread(readTags(value)) && isStrict;
}

const isUnread = (tags: ReadonlyMap<string, string>): boolean =>
  ['p', 'sp'].some((name) => tags.has(name) && !isPolicy(tags.get(name)));

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

/** The tags with the separators of the RFC, in any case and order, without those that cannot be read. */
function rewritten(value: string): string {
  if (!isMeantAsDmarc(value)) return '';
  const tags = new Map<string, string>();
  for (const [, name = '', content = ''] of value.matchAll(TAG)) {
    const known = /^(?:policy|action)$/i.test(name) ? 'p' : name.toLowerCase();
    const read =
      readers[known]?.(content.trim()) ?? (/^[a-z0-9:]{1,20}$/i.test(content.trim()) ? content.trim() : undefined);
    if (read !== undefined && !tags.has(known)) tags.set(known, read);
  }
  const bare = /(?:^|[\s;,.])(none|quarantine|reject)(?=$|[\s;,.])/i.exec(value)?.[1]?.toLowerCase();
  // Without p, the policy of subdomains says nothing of the domain itself.
  const policy = tags.get('p') ?? bare ?? (tags.has('sp') ? 'none' : undefined);
  if (policy === undefined) return '';
  tags.delete('p');
  return ['v=DMARC1', `p=${policy}`, ...Array.from(tags, ([name, content]) => `${name}=${content}`)].join('; ');
}

/** A name, a separator, and what is before the next tag. */
const TAG =
  /\b(p|policy|action|sp|np|adkim|aspf|pct|fo|ri|rua|ruf) ?[=: \uff1a\uff1d][=: ]{0,3}([^;,|\uff1b]*?)(?=[;,|\uff1b]|$| [a-z]{1,6} ?[=:])/gi;

const readers: Readonly<Record<string, (content: string) => string | undefined>> = {
  p: policyMeantBy,
  sp: policyMeantBy,
  np: policyMeantBy,
  rua: (content) => (isReportAddress(content) ? content : undefined),
  ruf: (content) => (isReportAddress(content) ? content : undefined),
};

/** `<reject>`, `reject.`, `rejected`, `quarentine`, `deny`. */
function policyMeantBy(content: string): (typeof POLICIES)[number] | undefined {
  const letters = content.toLowerCase().replace(/[^a-z]+/g, '');
  if (/^(?:no|monitor|report|accept|allow)/.test(letters)) return 'none';
  if (/^q|^spam|^junk/.test(letters)) return 'quarantine';
  return /^r|^(?:deny|block|drop|refuse|discard|fail)/.test(letters) ? 'reject' : undefined;
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

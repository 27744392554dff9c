import { trimFoldingWhitespace } from './folding-whitespace.ts';

/** Whether a value is a DMARC record; receivers ignore all others at the name, RFC 7489 section 6.6.3. */
export function isDmarc(value: string): boolean {
  return /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/.test(trimFoldingWhitespace(value));
}

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

const isPolicy = (policy: string | undefined): boolean =>
  ['none', 'quarantine', 'reject'].includes(policy?.toLowerCase() ?? '');

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

import { trimFoldingWhitespace } from './folding-whitespace.ts';
import { parseTagList } from './tag-list.ts';

/** Meant as DMARC: anything else at the name is ignored by receivers, RFC 7489 section 6.6.3. */
export function isDmarc(value: string): boolean {
  return /^v[ \t]*=[ \t]*DMARC1[ \t]*(?:;|$)/.test(trimFoldingWhitespace(value));
}

/** A policy receivers act on: `p=`, or at least a place for reports, RFC 7489 sections 6.3 and 6.6.3. */
export function isValidDmarc(value: string): boolean {
  const tags = parseTagList(value);
  if (tags === undefined || !isDmarc(value)) return false;
  const policy = tags.get('p')?.toLowerCase();
  return policy === undefined ? tags.has('rua') : ['none', 'quarantine', 'reject'].includes(policy);
}

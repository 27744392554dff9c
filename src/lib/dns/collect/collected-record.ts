import type { ExpectedRecord } from '../expected-record.ts';
import type { ZoneAnswers } from '../resolver/answer.ts';
import type { CachedAnswer } from '../resolver/ask-caches.ts';

/** The answers for one record: at its name, and if it is missing there, at names where it is published by mistake. */
export interface CollectedRecord {
  readonly expected: ExpectedRecord;
  readonly at: ZoneAnswers;
  /** At the names that result when the form appends labels that the host already has. */
  readonly doubled?: readonly ZoneAnswers[];
  /** At the same host under the domains above, up to the registered one. */
  readonly onParent?: readonly ZoneAnswers[];
  /** At the domain itself, and at the apex of its zone. */
  readonly domainItself?: readonly ZoneAnswers[];
  /** At the name, of other types. */
  readonly otherTypes?: readonly ZoneAnswers[];
  /** For a DKIM record, at the names with a mistaken selector. */
  readonly otherSelectors?: readonly ZoneAnswers[];
  /** At names that result when the host is misspelt. */
  readonly misspelt?: readonly ZoneAnswers[];
  /** For a DMARC record, at the organizational domain, whose policy applies where the domain has none (RFC 7489 section 6.6.3). */
  readonly organization?: ZoneAnswers;
  /**
   * For a DMARC record, where neither has a policy: at the other domains above, up to the public suffix. Receivers may apply theirs (RFC
   * 9091, RFC 9989 section 4.10).
   */
  readonly policiesAbove?: readonly ZoneAnswers[];
  /** At an unused name beside it: the answer of a wildcard. */
  readonly wildcard?: ZoneAnswers;
  /** The NS records of the registered domain, when only the registry's servers answered. */
  readonly delegation?: ZoneAnswers;
  /** For an SPF record, what a receiver asks to evaluate the published and the expected one. */
  readonly spfAnswers?: readonly ZoneAnswers[];
  /** For a CNAME record that is right, the texts that receivers get through it, or others at its name that are in the way. */
  readonly leadsTo?: ZoneAnswers;
  /** For a record that is right, what recursive resolvers remember. */
  readonly caches?: readonly CachedAnswer[];
}

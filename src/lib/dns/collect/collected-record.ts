import type { ExpectedRecord } from '../expected-record.ts';
import type { ZoneAnswers } from '../resolver/answer.ts';
import type { CachedAnswer } from '../resolver/ask-caches.ts';

/** What was asked about one record: at its name, and when nothing is there, where it is found by mistake. */
export interface CollectedRecord {
  readonly expected: ExpectedRecord;
  readonly at: ZoneAnswers;
  /** At the names that a host gives whose last labels the form appends once more. */
  readonly doubled?: readonly ZoneAnswers[];
  /** At the same host under the domains above, up to the registered one. */
  readonly onParent?: readonly ZoneAnswers[];
  /** At the domain itself, and at the apex of its zone. */
  readonly domainItself?: readonly ZoneAnswers[];
  /** At the name, of other types. */
  readonly otherTypes?: readonly ZoneAnswers[];
  /** A DKIM record: at the names that a mistaken selector gives. */
  readonly otherSelectors?: readonly ZoneAnswers[];
  /** At a name beside it that nobody has: what a wildcard gives. */
  readonly wildcard?: ZoneAnswers;
  /** NS of the name below the top-level domain, when that answered for itself. */
  readonly delegation?: ZoneAnswers;
  /** An SPF record: what a receiver asks for when it evaluates the published one, and where the sender's mail comes from. */
  readonly spfAnswers?: readonly ZoneAnswers[];
  /** A right record: what recursive resolvers remember. */
  readonly caches?: readonly CachedAnswer[];
}

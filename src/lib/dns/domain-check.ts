import type { ZoneAnswers } from './resolver/answer.ts';
import type { CachedAnswer } from './resolver/cached-answer.ts';
import type { ExpectedRecord, RecordPurpose } from './expected-record.ts';
import type { Finding } from './diagnosis/finding.ts';

export type RecordStatus = 'missing' | 'wrong' | 'found' | 'inconclusive';

export interface RecordCheck {
  readonly purpose: RecordPurpose;
  readonly type: 'TXT' | 'MX';
  /** Absolute, lower case, without a final dot. */
  readonly name: string;
  /** The name relative to its zone; `@` for the zone itself. */
  readonly host: string;
  /** The apex of the zone that holds the name; null when no server reported it, and the host is relative to the registered domain. */
  readonly zone: string | null;
  /** `inconclusive`: no server of the zone made a statement; the record may be there. */
  readonly status: RecordStatus;
  /** The values at the name, on any server. */
  readonly found: readonly string[];
  readonly findings: readonly Finding[];
}

/** What one look at a domain's records saw. */
export interface DomainCheck {
  readonly domain: string;
  /** The apex of the zone that holds the domain; undefined when no server told. */
  readonly zone: string | undefined;
  /** Every required record is found. */
  readonly verified: boolean;
  /** No required record is inconclusive: only then does `verified: false` say something about the tenant. */
  readonly conclusive: boolean;
  readonly records: readonly RecordCheck[];
}

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

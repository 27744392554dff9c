// The four kinds of answer from a name server. Only the first three say something about the zone.

export type LookUpType = 'TXT' | 'MX' | 'CNAME' | 'A' | 'AAAA' | 'NS' | 'SOA' | 'DS' | 'PTR' | 'SPF';

export interface DnsQuestion {
  readonly name: string;
  readonly type: LookUpType;
}

/** Equal questions have the same. */
export const questionKey = ({ name, type }: DnsQuestion): string => `${type} ${name}`;

export type DnsAnswer = Found | NoData | NxDomain | ServerFailure;

interface Answered {
  /** Host and address of the server that answered: `ns1.example.net (192.0.2.1)`. */
  readonly server: string;
  /** The AA bit; false for a recursive resolver's answer about a top-level domain, and for a faulty server, whose answer resolvers accept. */
  readonly authoritative: boolean;
  /** The CNAME targets that were followed from the name in the question, in order. */
  readonly aliases: readonly string[];
  /** The owner of the DNAME record above the name that makes the first of them. */
  readonly redirectedAt?: string;
}

export interface Found extends Answered {
  readonly kind: 'found';
  /** TXT, SPF: all strings joined. MX: `10 mx.example.net`. Others: an address or a name. Names are lower case, without a final dot. */
  readonly values: readonly string[];
  readonly ttlSeconds: number;
  /** The target of a CNAME that the server returned beside the records, which RFC 1034 section 3.6.2 forbids. */
  readonly conflictingAlias?: string;
}

/** Why a chain of aliases has no end, RFC 1034 section 3.6.2: it leads back to a name on it, or is longer than resolvers follow. */
export type AliasFault = 'loop' | 'tooLong';

/** No such record, RFC 2308 section 2. */
interface Negative extends Answered {
  /** The apex of the zone that denies the record, from its SOA record. */
  readonly zone?: string;
  /** Why the aliases lead to nothing; absent when their last target has no such record. */
  readonly aliasFault?: AliasFault;
  /** How long a recursive resolver may remember the denial, RFC 2308 section 5. */
  readonly negativeTtlSeconds?: number;
}

/** The name exists, with other types only or with names below it. */
export interface NoData extends Negative {
  readonly kind: 'noData';
}

/** Neither the name nor anything below it exists. */
export interface NxDomain extends Negative {
  readonly kind: 'nxDomain';
}

export type FailureReason =
  | 'servfail'
  | 'refused'
  | 'timeout'
  /** Answers without authority over the zone that the delegation names it for. */
  | 'lame'
  /** No route, or nothing listens there. */
  | 'unreachable'
  /** The answer cannot be read, or has another RCODE. */
  | 'malformed'
  /** The name server's host name has no address, or none that may be asked. */
  | 'noAddress'
  /** The name server's host name is an alias, which RFC 2181 section 10.3 forbids. BIND does not follow it. */
  | 'alias'
  /** The delegation or the zone names only private addresses, which are not asked. */
  | 'privateAddress'
  /** The lookup reached its limit of queries or time. */
  | 'limit';

/** Says nothing about the record: it may exist or not. */
export interface ServerFailure {
  readonly kind: 'serverFailure';
  readonly server: string;
  readonly reason: FailureReason;
  /** The zone that it should serve, which an alias or an SPF record may have led to; absent for a recursive resolver. */
  readonly zone?: string;
  /** The failing server is a recursive resolver that was asked for the zone's servers. */
  readonly isResolver?: true;
}

/** The parent and the zone itself name different servers. Resolvers ask those of either, RFC 2181 section 5.4.1. */
export interface DelegationMismatch {
  readonly zone: string;
  /** Hosts; with their addresses, where only these differ. */
  readonly byParent: readonly string[];
  /** As one of its servers returns them. */
  readonly byZone: readonly string[];
  /** Whether any of those that the zone names answered, or none of them can be asked and resolvers keep those of the parent. */
  readonly answered: boolean;
}

/** The answers of all servers of the zone that holds a name. */
export interface ZoneAnswers extends DnsQuestion {
  /** The apex of that zone; undefined when no server named it. */
  readonly zone: string | undefined;
  /** One for each server, where it returns an alias one for each server of the target; never empty. */
  readonly answers: readonly DnsAnswer[];
  /** Differences in the delegation of that zone, and of those that its aliases lead to. */
  readonly mismatches?: readonly DelegationMismatch[];
}

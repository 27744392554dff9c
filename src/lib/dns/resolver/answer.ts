// The four things a name server can say. They are never mixed: only the first three say something about the zone.

export type LookUpType = 'TXT' | 'MX' | 'CNAME' | 'A' | 'AAAA' | 'NS' | 'SOA' | 'DS' | 'PTR' | 'SPF';

export type DnsAnswer = Found | NoData | NxDomain | ServerFailure;

interface Answered {
  /** Host and address of the server that answered: `ns1.example.net (192.0.2.1)`. */
  readonly server: string;
  /** The AA bit. False only for what a recursive resolver said about a top-level domain. */
  readonly authoritative: boolean;
  /** The CNAME targets that were followed from the name asked for, in order. */
  readonly aliases: readonly string[];
}

export interface Found extends Answered {
  readonly kind: 'found';
  /** TXT, SPF: strings joined. MX: preference and host. Others: an address or a name. Names are lower case, without a final dot. */
  readonly values: readonly string[];
  readonly ttlSeconds: number;
  /** The target of a CNAME that the server gave beside the records, which RFC 1034 section 3.6.2 forbids. */
  readonly conflictingAlias?: string;
}

/** Why a chain of aliases has no end, RFC 1034 section 3.6.2: it leads back to a name on it, or is longer than resolvers follow. */
export type AliasFault = 'loop' | 'tooLong';

/** RFC 2308 section 2: no record, with what its SOA says about it. */
interface Negative extends Answered {
  /** The apex of the zone that denies, from the SOA record. */
  readonly zone?: string;
  /** Why the aliases lead to nothing; absent when the name they lead to has no such record. */
  readonly aliasFault?: AliasFault;
  /** How long a recursive resolver may remember that there is nothing, RFC 2308 section 5. */
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
  /** Answers, but not with authority over the zone it was named for. */
  | 'lame'
  /** No route, or nothing listens. */
  | 'unreachable'
  /** An answer that cannot be read, or another RCODE. */
  | 'malformed'
  /** The name server's own host name has no address, or none that recursive resolvers give for public names. */
  | 'noAddress'
  /** The delegation or the zone gives it a private address, which is not asked. */
  | 'privateAddress'
  /** The look-up needed more queries or time than it may have. */
  | 'limit';

/** No statement about the record: it may be there or not. */
export interface ServerFailure {
  readonly kind: 'serverFailure';
  readonly server: string;
  readonly reason: FailureReason;
  /** It is a recursive resolver that was asked about the zone's servers, not one of these. */
  readonly isResolver?: true;
}

/** What every server of the zone that holds a name says about it. */
export interface ZoneAnswers {
  readonly name: string;
  readonly type: LookUpType;
  /** The apex of that zone; undefined when no server could tell. */
  readonly zone: string | undefined;
  /** One for each server, and never empty. */
  readonly answers: readonly DnsAnswer[];
}

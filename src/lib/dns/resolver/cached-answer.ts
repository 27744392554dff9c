/** What a recursive resolver says about a record that the zone's own servers already have right. */
export type CachedAnswer = CachedRecord | CachedDenial | BogusAnswer;

export interface CachedRecord {
  readonly kind: 'found';
  /** Address and port of the resolver. */
  readonly server: string;
  readonly values: readonly string[];
  /** Behind a CNAME that the resolver followed, perhaps to a name that only its own network knows. */
  readonly isBehindAlias?: true;
  readonly secondsLeft: number;
}

export interface CachedDenial {
  readonly kind: 'denied';
  readonly server: string;
  /** Absent when the answer came without the SOA record that says it, RFC 2308 section 5. */
  readonly secondsLeft?: number;
}

/** SERVFAIL, twice, for what the resolver gives with checking disabled, below a signed delegation: RFC 4035 section 5.5. */
export interface BogusAnswer {
  readonly kind: 'bogus';
  readonly server: string;
}

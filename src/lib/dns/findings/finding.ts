/** What can be wrong with one record. A code is added here, and its rule in the table of `diagnosis-rules.ts`. */
export const FindingCode = {
  /** Nothing at the name, and nothing near it that would explain why. */
  notPublished: 'not_published',
  /** Published at `<name>.<zone>`: the provider's form appended the zone to a name that had it already. */
  hostDoubled: 'host_doubled',
  /** Published at the domain itself or at the apex of its zone. */
  hostLeftOut: 'host_left_out',
  /** Published one level up: the subdomain was left out of the host. */
  hostOnParent: 'host_on_parent',
  /** The right key under another selector, or with a part of `<selector>._domainkey` left out. */
  selectorWrong: 'selector_wrong',
  /** A CNAME where the record belongs; no other record may stand beside it, RFC 1034 section 3.6.2. */
  cnameConflict: 'cname_conflict',
  /** A CNAME whose chain leads back to a name on it. */
  cnameLoop: 'cname_loop',
  /** A chain of more CNAMEs than resolvers follow. */
  cnameTooLong: 'cname_too_long',
  /** The value in a record of another type. */
  wrongType: 'wrong_type',
  /** The value that belongs at the name of another record of the domain. */
  valueOfOtherRecord: 'value_of_other_record',
  /** A value in quotation marks that have become part of it. */
  valueQuoted: 'value_quoted',
  /** Whitespace or invisible characters where receivers do not skip them. */
  valueWhitespace: 'value_whitespace',
  /** One value spread over several records instead of over the strings of one. */
  splitIntoRecords: 'split_into_records',
  /** The published key is only the beginning of the expected one. */
  valueTruncated: 'value_truncated',
  /** A key with an empty `p=`, RFC 6376 section 3.6.1. */
  keyRevoked: 'key_revoked',
  /** The right key with `t=y`: receivers treat what it signs as unsigned, RFC 6376 section 3.6.1. */
  keyTesting: 'key_testing',
  /** One server of the zone still gives another key while others give the expected one. */
  keyStale: 'key_stale',
  /** `h=` does not name sha256, RFC 6376 section 3.6.1. */
  keyHash: 'key_hash_excluded',
  /** `k=` names another kind of key. */
  keyType: 'key_type_wrong',
  /** `s=` names neither `email` nor `*`. */
  keyService: 'key_service_excluded',
  /** Tag names and most values are case-sensitive, RFC 6376 section 3.2. */
  tagsUpperCase: 'tags_upper_case',
  /** Characters that RFC 6376 sections 3.2 and 3.6.1 do not allow, around the right key or in another tag. */
  keySurrounded: 'key_surrounded',
  /** A semicolon with a backslash before it. */
  valueEscaped: 'value_escaped',
  /** The lines of a PEM file stand around the key. */
  keyPem: 'key_pem',
  /** Only what belongs behind `p=`. */
  keyWithoutTags: 'key_without_tags',
  /** A line of a zone file, host and type included. */
  valueZoneLine: 'value_zone_line',
  /** A tag stands there twice, RFC 6376 section 3.2. */
  tagRepeated: 'tag_repeated',
  /** Strings of one record in the wrong order. */
  valueReordered: 'value_reordered',
  keyMismatch: 'key_mismatch',
  /** More than one TXT record at the selector's name, RFC 6376 section 3.6.2.2. */
  dkimMultiple: 'dkim_multiple',
  /** More than one SPF record at the name, RFC 7208 section 4.5. */
  spfMultiple: 'spf_multiple',
  /** SPF terms behind no version or another one, RFC 7208 section 4.5. */
  spfVersionWrong: 'spf_version_wrong',
  spfSyntax: 'spf_syntax',
  /** The expected mechanism stands behind `all`, where nobody reads it, RFC 7208 section 5.1. */
  spfAfterAll: 'spf_after_all',
  /** A term before the expected mechanism decides, or may decide, that what it names does not pass, RFC 7208 section 4.6.2. */
  spfOverruled: 'spf_overruled',
  spfMissingMechanism: 'spf_missing_mechanism',
  /** Receivers give up before they reach the expected mechanism, RFC 7208 section 4.6.4. */
  spfTooManyLookups: 'spf_too_many_lookups',
  /** An `mx` term before the expected mechanism names a domain with more than ten MX hosts, RFC 7208 section 4.6.4. */
  spfTooManyMxHosts: 'spf_too_many_mx_hosts',
  /** More than two terms before the expected mechanism name what does not exist, RFC 7208 section 4.6.4. */
  spfTooManyVoidLookups: 'spf_too_many_void_lookups',
  /** An `include` or `redirect` names a domain that has not exactly one readable SPF record, RFC 7208 section 5.2. */
  spfIncludeBroken: 'spf_include_broken',
  /** The sender's own SPF record, to which the expected one refers, authorises nothing. */
  senderSpfBroken: 'sender_spf_broken',
  /** The form appended the zone to the mail exchanger, which lacks its final dot. */
  mxTargetAppended: 'mx_target_appended',
  /** An MX or DMARC record that does not mean what the expected one means. */
  valueMismatch: 'value_mismatch',
  /** The top-level domain denies it, and nothing at or below it was seen. */
  domainUnregistered: 'domain_unregistered',
  /** The top-level domain knows the domain, but has no name servers for it. */
  nsNotDelegated: 'ns_not_delegated',
  /** The servers of one zone give different answers. */
  nsInconsistent: 'ns_inconsistent',
  /** A server that the delegation names does not serve the zone. */
  nsLame: 'ns_lame',
  /** The only addresses of a server that the delegation names are not public ones. */
  nsPrivateAddress: 'ns_private_address',
  /** SERVFAIL, a time-out, an unreachable server: says nothing about the record. */
  serverFailure: 'server_failure',
  /** A recursive resolver did not say where the zone's servers are: says nothing about the record or the zone. */
  resolverFailure: 'resolver_failure',
  /** A recursive resolver still remembers that there was no record. */
  negativeCached: 'negative_cached',
  /** A recursive resolver still remembers another value. */
  staleCached: 'stale_cached',
  /** Validating resolvers refuse the record because its signatures do not fit, RFC 4035 section 5.5. */
  dnssecBogus: 'dnssec_bogus',
} as const;
export type FindingCode = (typeof FindingCode)[keyof typeof FindingCode];

export interface Finding {
  readonly code: FindingCode;
  /** An error keeps the record from being found; a warning does not. */
  readonly severity: 'error' | 'warning';
  /** Where it was seen: absolute, without a final dot. */
  readonly name: string;
  readonly expected: string;
  readonly found: readonly string[];
  /** Only when one server is meant: its host and address. */
  readonly server?: string;
  /** What to do, for people. A host or value to copy is never followed by punctuation. */
  readonly fix: string;
  /** The record that has to be there then, field by field, to be copied; absent when there is nothing to enter. */
  readonly publish?: FormFields;
}

/** The fields of a DNS provider's form. */
export interface FormFields {
  readonly type: 'TXT' | 'MX';
  /** Relative to the zone. */
  readonly host: string;
  readonly value: string;
}

import type { RecordType } from '../expected-record.ts';

/** What can be wrong with one record. `docs/dns-findings.md` explains each code; its rule is in a table of `finding-rules.ts`. */
export type FindingCode =
  // The record is missing or in the wrong place.
  | 'not_published'
  | 'host_doubled'
  | 'host_left_out'
  | 'host_on_parent'
  | 'selector_wrong'
  | 'host_wrong'
  | 'cname_conflict'
  | 'dname_above'
  | 'cname_loop'
  | 'cname_too_long'
  | 'cname_proxied'
  | 'cname_not_alone'
  | 'cname_multiple'
  | 'wrong_type'
  | 'value_of_other_record'
  // The value is wrong.
  | 'value_quoted'
  | 'value_whitespace'
  | 'value_encoded'
  | 'value_labelled'
  | 'value_escaped'
  | 'value_zone_line'
  | 'value_mismatch'
  | 'mx_target_appended'
  | 'cname_target_appended'
  | 'cname_target_missing'
  | 'dmarc_organization_invalid'
  // The DKIM key is wrong.
  | 'split_into_records'
  | 'value_truncated'
  | 'key_revoked'
  | 'key_testing'
  | 'key_hash_excluded'
  | 'key_type_wrong'
  | 'key_service_excluded'
  | 'key_version_wrong'
  | 'tags_upper_case'
  | 'tags_not_separated'
  | 'key_surrounded'
  | 'key_pem'
  | 'key_without_tags'
  | 'tag_repeated'
  | 'value_reordered'
  | 'key_part_missing'
  | 'key_damaged'
  | 'key_mismatch'
  | 'key_invalid'
  | 'dkim_multiple'
  | 'key_replaced'
  // The SPF record is wrong.
  | 'spf_multiple'
  | 'spf_version_wrong'
  | 'spf_syntax'
  | 'spf_after_all'
  | 'spf_overruled'
  | 'spf_missing_mechanism'
  | 'spf_too_many_lookups'
  | 'spf_too_many_mx_hosts'
  | 'spf_too_many_void_lookups'
  | 'spf_include_broken'
  | 'sender_spf_broken'
  // The domain or its name servers are not set up.
  | 'domain_unregistered'
  | 'ns_not_delegated'
  | 'delegation_mismatch'
  | 'ns_inconsistent'
  | 'answers_vary'
  | 'key_stale'
  | 'ns_lame'
  | 'ns_alias'
  | 'ns_without_authority'
  | 'ns_private_address'
  | 'server_failure'
  | 'resolver_failure'
  // The record is right, but recursive resolvers return something else.
  | 'negative_cached'
  | 'stale_cached'
  | 'resolver_disagrees'
  | 'not_resolved'
  | 'dnssec_bogus'
  | 'dnssec_bogus_alias';

export interface Finding {
  readonly code: FindingCode;
  /** An error keeps the record from being found; a warning does not. */
  readonly severity: 'error' | 'warning';
  /** Where the problem was seen: absolute, lower case, without a final dot. */
  readonly name: string;
  /** The value that the record must have. */
  readonly expected: string;
  /** What was seen at `name`: values, CNAME targets as `CNAME <target>`, or why a server failed. */
  readonly found: readonly string[];
  /** The one server that the finding is about: host and address, `ns1.example.net (192.0.2.1)`. */
  readonly server?: string;
  /** What is wrong and what to do, in sentences for the tenant. A host or value to copy is never followed by punctuation. */
  readonly fix: string;
  /** The record to enter, field by field; absent when there is nothing to enter. */
  readonly publish?: FormFields;
}

/** The fields of a DNS provider's form. */
interface FormFields {
  readonly type: RecordType;
  /** Relative to the zone. */
  readonly host: string;
  readonly value: string;
}

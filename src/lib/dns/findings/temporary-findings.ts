import type { FindingCode } from './finding.ts';

/** Findings that time or another party may resolve, so that they leave open whether the domain's owner must act. */
export const temporaryFindings: ReadonlySet<string> = new Set<FindingCode>([
  'negative_cached',
  'stale_cached',
  'resolver_disagrees',
  'not_resolved',
  'ns_inconsistent',
  'answers_vary',
  'key_stale',
  'ns_without_authority',
  'server_failure',
  'resolver_failure',
  'sender_spf_broken',
  'cname_target_missing',
]);

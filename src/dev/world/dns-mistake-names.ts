/** Apart from their rules, which load the Public Suffix List. */
export const dnsMistakeNames = [
  'not_published',
  'host_doubled',
  'host_left_out',
  'spf_at_domain',
  'value_quoted',
  'value_truncated',
  'split_into_records',
  'key_mismatch',
  'spf_missing_mechanism',
  'server_failure',
] as const;

export type DnsMistake = (typeof dnsMistakeNames)[number];

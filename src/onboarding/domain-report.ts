import type { DnsRecord } from './dns-record.ts';

/** The result of one check, at the provider and at the zone's authoritative servers. */
export interface DomainReport {
  /** As the provider reports; this alone decides. */
  readonly verified: boolean;
  /** Whether every required record is published correctly, even if the provider has not noticed yet. */
  readonly published: boolean;
  /** False if a required record could not be checked: no name server answered, or the provider alone checks its type. */
  readonly conclusive: boolean;
  readonly records: DnsRecord[];
  readonly lastObservedAt: string;
  /** Cause of the definite mistakes, as in `attentionOf`; empty for none. */
  readonly cause: string;
}

import type { RecordCheck } from '../../lib/dns/domain-check.ts';

/** A record with what its check found. */
export interface DnsRecordResult extends RecordCheck {
  readonly value: string;
  readonly required: boolean;
  /** Host and address of each server that was asked. */
  readonly asked: readonly string[];
}

/** What `sendoff dns check --json` prints. */
export interface DnsCheckResult {
  readonly domain: string;
  /** The apex of the zone that holds the domain; null when no server named it. */
  readonly zone: string | null;
  /** Every required record is found. */
  readonly verified: boolean;
  /** False when no name server answered for a required record. */
  readonly conclusive: boolean;
  readonly records: readonly DnsRecordResult[];
}

import type { RecordCheck } from '../../lib/dns/domain-check.ts';

/** A record with what the look at it found. */
export interface CheckedRecord extends RecordCheck {
  readonly value: string;
  readonly required: boolean;
  /** The servers that were asked about it: host and address. */
  readonly asked: readonly string[];
}

/** What `--json` prints. */
export interface CheckedDomain {
  readonly domain: string;
  /** Null when no server told. */
  readonly zone: string | null;
  /** Every required record is found. */
  readonly verified: boolean;
  /** False when a name server's silence keeps a required record from being judged. */
  readonly conclusive: boolean;
  readonly records: readonly CheckedRecord[];
}

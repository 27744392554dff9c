/** One thing that is wrong with one DNS record. */
export interface RecordFinding {
  code: string;
  /** Where it was seen; may differ from the name to publish at. */
  name: string;
  /** What to do. A host or value in it is never followed by punctuation. */
  fix: string;
  /** What to enter at the DNS provider, to be copied; absent when there is nothing to enter. */
  publish?: { type: string; host: string; value: string };
}

/** A DNS record the tenant is to publish, and what the last look at it found. */
export interface DnsRecord {
  purpose: string;
  type: string;
  /** Absolute, without a final dot. */
  name: string;
  /** As it is typed at a DNS provider: relative to the zone. */
  host: string;
  /**
   * The zone that the host is relative to. Null while no name server has named it: the host is then relative to the
   * registered domain. Absent in histories of earlier versions.
   */
  zone?: string | null;
  value: string;
  required: boolean;
  status: 'missing' | 'wrong' | 'found' | 'inconclusive';
  found: string[];
  findings: RecordFinding[];
}

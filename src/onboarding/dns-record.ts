/** One fault of one DNS record. */
export interface RecordFinding {
  code: string;
  /** Where it was found; may differ from the record's name. */
  name: string;
  /** The problem and the remedy. No punctuation follows a host or value. */
  fix: string;
  /** The record to enter at the DNS provider; absent if there is none to enter. */
  publish?: { type: string; host: string; value: string };
}

interface AskedServer {
  name: string;
  answered: boolean;
}

/** A DNS record for the tenant to publish, and the result of its last check. */
export interface DnsRecord {
  purpose: string;
  type: string;
  /** Fully qualified, without the final dot. */
  name: string;
  /** As entered at a DNS provider: relative to the zone. */
  host: string;
  /** Null while no name server has named the zone: the host is then relative to the registered domain. */
  zone?: string | null;
  /** Name servers of the zone, in the last check that could name it, and whether each answered. */
  nameServers?: AskedServer[];
  value: string;
  required: boolean;
  status: 'unchecked' | 'missing' | 'wrong' | 'found' | 'inconclusive';
  found: string[];
  findings: RecordFinding[];
}

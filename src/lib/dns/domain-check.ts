import type { RecordPurpose, RecordStatus, RecordType } from './expected-record.ts';
import type { Finding } from './findings/finding.ts';
import type { ZoneServer } from './resolver/zone-servers.ts';

export interface RecordCheck {
  readonly purpose: RecordPurpose;
  readonly type: RecordType;
  /** Absolute, lower case, without a final dot. */
  readonly name: string;
  /** The name relative to `zone`; `@` for the zone itself. */
  readonly host: string;
  /** The apex of the zone that holds the name; null when no server named it, and `host` is relative to the registered domain. */
  readonly zone: string | null;
  /** Name servers of `zone`; empty while it is not known. */
  readonly nameServers: readonly ZoneServer[];
  readonly status: RecordStatus;
  /** The values at the name, from any server. */
  readonly found: readonly string[];
  readonly findings: readonly Finding[];
}

/** What one check of a domain's records saw. */
export interface DomainCheck {
  readonly domain: string;
  /** The apex of the zone that holds the domain; null when no server named it. */
  readonly zone: string | null;
  /** Every required record is found, and there is at least one. */
  readonly verified: boolean;
  /** There are required records, and none is inconclusive. Only then does `verified: false` mean that the tenant must act. */
  readonly conclusive: boolean;
  readonly records: readonly RecordCheck[];
}

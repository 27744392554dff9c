export type ZoneRecordType = 'TXT' | 'MX' | 'A' | 'AAAA' | 'NS' | 'CNAME' | 'SOA';

/** One record, written as in a zone file. A name with an SOA record is the apex of a zone of its own. */
export interface ZoneRecord {
  /** Absolute, without a final dot. */
  readonly name: string;
  readonly type: ZoneRecordType;
  /**
   * TXT: the whole text. MX: `10 mx.example.test`. SOA: `mname rname serial refresh retry expire minimum`. Others: an
   * address or a name.
   */
  readonly value: string;
  /** @default 60 */
  readonly ttlSeconds?: number;
}

/** The records shown to a tenant, as they stand in a zone: the email service asks for TXT and MX only. */
export const toZoneRecords = (
  records: readonly { readonly type: string; readonly name: string; readonly value: string }[],
): ZoneRecord[] => records.map(({ type, name, value }) => ({ type: type === 'MX' ? 'MX' : 'TXT', name, value }));

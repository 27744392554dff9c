export type ZoneRecordType = 'TXT' | 'MX' | 'A' | 'AAAA' | 'NS' | 'CNAME' | 'PTR' | 'SOA';

/** One record as in a zone file. A name with an SOA record is the apex of a zone. */
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

/** A record as it is shown to a tenant. */
export interface ShownRecord {
  /** The purpose of the record: `dkim`, `spf`. */
  readonly purpose: string;
  readonly type: string;
  readonly name: string;
  readonly value: string;
}

/** Converts the records shown to a tenant. */
export const toZoneRecords = (records: readonly Omit<ShownRecord, 'purpose'>[]): ZoneRecord[] =>
  records.map(({ type, name, value }) => ({ type: type === 'MX' || type === 'CNAME' ? type : 'TXT', name, value }));

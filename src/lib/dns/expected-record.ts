export type RecordPurpose = 'dkim' | 'spf' | 'return_path' | 'dmarc';

/** The types that are checked. */
export const recordTypes = ['TXT', 'MX', 'CNAME'] as const;
export type RecordType = (typeof recordTypes)[number];

/** `inconclusive`: no server of the zone answered; the record may exist. */
export type RecordStatus = 'missing' | 'wrong' | 'found' | 'inconclusive';

/** One record that a tenant must publish. */
export interface ExpectedRecord {
  readonly purpose: RecordPurpose;
  readonly type: RecordType;
  /** Absolute, lower case, without a final dot. */
  readonly name: string;
  /** TXT: all strings joined. MX: `10 mx.example.net`. CNAME: the target, in any case, with or without a final dot. */
  readonly value: string;
  /** A domain is verified once all required records are found; the others are recommended. */
  readonly required: boolean;
  /** The zone that an earlier check found, for the host while its servers do not answer. */
  readonly zone?: string | null;
  /** How long ago the last check was; null and absent where there was none. */
  readonly checkedSecondsAgo?: number | null;
  /** Where the last check had findings: if the record was misplaced, it is looked for there first. */
  readonly seenAt?: readonly string[];
  /** How long ago an earlier check found it; null and absent where none did. */
  readonly foundSecondsAgo?: number | null;
  /** Another record has taken its place: it may be removed. */
  readonly isReplaced?: boolean;
}

/** What a value must be like: a CNAME record has a target, whatever is published there. */
export type RecordKind = RecordPurpose | 'alias';

export const kindOf = ({ type, purpose }: Pick<ExpectedRecord, 'type' | 'purpose'>): RecordKind =>
  type === 'CNAME' ? 'alias' : purpose;

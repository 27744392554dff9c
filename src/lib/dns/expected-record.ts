export type RecordPurpose = 'dkim' | 'spf' | 'return_path' | 'dmarc';

/** One record that a tenant must publish. */
export interface ExpectedRecord {
  readonly purpose: RecordPurpose;
  readonly type: 'TXT' | 'MX';
  /** Absolute, lower case, without a final dot. */
  readonly name: string;
  /** TXT: all strings joined. MX: `10 mx.example.net`. */
  readonly value: string;
  /** A domain is verified once all required records are found; the others are recommended. */
  readonly required: boolean;
  /** The zone that an earlier check found, for the host while its servers do not answer. */
  readonly zone?: string | null;
  /** How long ago an earlier check found it; null and absent where none did. */
  readonly foundSecondsAgo?: number | null;
}

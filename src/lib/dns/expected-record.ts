export type RecordPurpose = 'dkim' | 'spf' | 'return_path' | 'dmarc';

/** One record that a tenant is asked to publish. */
export interface ExpectedRecord {
  readonly purpose: RecordPurpose;
  readonly type: 'TXT' | 'MX';
  /** Absolute, lower case, without a final dot. */
  readonly name: string;
  /** TXT: all strings joined. MX: preference and host, `10 mx.example.net`. */
  readonly value: string;
  /** A domain is verified once every required record is found; the others are advice. */
  readonly required: boolean;
  /** The zone that an earlier look found: its form is where the host is entered, also while its servers do not answer. */
  readonly zone?: string | null;
}

export interface FailedDelivery {
  readonly kind: 'failed';
  /** The addresses that the report gives the recipient. */
  readonly recipients: readonly string[];
  /** The code in the field Status, or undefined; RFC 3463. */
  readonly status: string | undefined;
  /** The reply of the server that refused, or other words of the one that reports. */
  readonly diagnostic: string;
}

/** RFC 5965 section 7.3. */
export const COMPLAINT_TYPES = ['abuse', 'fraud', 'virus', 'other'] as const;

export interface Complaint {
  readonly kind: 'complaint';
  /** Empty if the report names none. */
  readonly recipients: readonly string[];
  readonly type: (typeof COMPLAINT_TYPES)[number];
}

/** At most 20: an email has one recipient. */
export type Reports = readonly (FailedDelivery | Complaint)[];

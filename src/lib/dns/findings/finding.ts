import type { RecordType } from '../expected-record.ts';
import type { findingRules } from './finding-rules.ts';

/** What can be wrong with one record. `docs/dns-findings.md` explains each code. */
export type FindingCode = keyof typeof findingRules;

export interface Finding {
  readonly code: FindingCode;
  /** An error keeps the record from being found; a warning does not. */
  readonly severity: 'error' | 'warning';
  /** Where the problem was seen: absolute, lower case, without a final dot. */
  readonly name: string;
  /** The value that the record must have. */
  readonly expected: string;
  /** The values seen at `name`, those of other types as `CNAME <target>`, or the reason that a server failed. */
  readonly found: readonly string[];
  /** The one server that the finding is about: host and address, `ns1.example.net (192.0.2.1)`. */
  readonly server?: string;
  /** The problem and the remedy, in sentences for the tenant. A host or value to copy is never followed by punctuation. */
  readonly fix: string;
  /** The record to enter, field by field; absent when there is nothing to enter. */
  readonly publish?: FormFields;
}

/** The fields of a DNS provider's form. */
interface FormFields {
  readonly type: RecordType;
  /** Relative to the zone. */
  readonly host: string;
  readonly value: string;
}

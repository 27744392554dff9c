import type { RecordPurpose } from '../expected-record.ts';
import type { Finding } from './finding.ts';
import type { RecordFacts } from './record-facts.ts';

export interface Symptom {
  readonly severity?: 'warning';
  /** @default the expected record's name */
  readonly name?: string;
  readonly server?: string;
  readonly found: readonly string[];
  readonly fix: string;
  /** The tenant has nothing to enter, or something else than the expected record. */
  readonly entersNothing?: true;
}

/** One question about the facts of a record, answered by nothing or by what is wrong. */
export interface FindingRule {
  readonly look: (facts: RecordFacts) => readonly Symptom[];
  /** Asked only when no other rule has found an error. */
  readonly lastResort?: true;
  /** As in Symptom, whatever it finds. */
  readonly entersNothing?: true;
  /** A few words for operators, without values that may be long. */
  readonly inWords: (finding: Finding) => string;
}

/** As people call them. */
export const recordNames: Readonly<Record<RecordPurpose, string>> = {
  dkim: 'DKIM',
  spf: 'SPF',
  return_path: 'Return path',
  dmarc: 'DMARC',
};

/** What every fix that changes the record ends in. Nothing may follow it: the value is copied to the end of the line. */
export function publishSentence(facts: RecordFacts): string {
  const { type } = facts.expected;
  return `publish ${type === 'MX' ? 'an' : 'a'} ${type} record with ${hostAndValue(facts)}`;
}

/** The same for a record that is there. @param why says what was wrong: `without quotation marks`, `as it is cut off` */
export function replaceSentence(facts: RecordFacts, why: string): string {
  const reason = why === '' ? '' : why.startsWith('as ') ? `, ${why}` : ` ${why}`;
  return asSentence(`enter the ${facts.expected.type} record again${reason}: ${hostAndValue(facts)}`);
}

function hostAndValue({ host, expected }: RecordFacts): string {
  return `host ${host} and value ${expected.value}`;
}

/** Without a full stop, which would be copied with a host or value at the end. */
export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

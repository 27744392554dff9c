import type { Finding } from './finding.ts';
import type { RecordFacts } from './record-facts.ts';

export interface Symptom {
  readonly severity?: 'warning';
  /** @default the expected record's name */
  readonly name?: string;
  readonly server?: string;
  readonly found: readonly string[];
  readonly fix: string;
}

/** One question about the facts of a record, answered by nothing or by what is wrong. */
export interface DiagnosisRule {
  readonly look: (facts: RecordFacts) => readonly Symptom[];
  /** Asked only when no other rule has found an error. */
  readonly lastResort?: true;
  /** A few words for operators, without values that may be long. */
  readonly inWords: (finding: Finding) => string;
}

/** The sentence that every rule ends in: what to enter, and where. */
export function publishSentence(facts: RecordFacts): string {
  const { type, value } = facts.expected;
  return `publish ${type === 'MX' ? 'an' : 'a'} ${type} record with host ${facts.host} and value ${value}`;
}

export function asSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

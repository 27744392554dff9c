import type { ExpectedRecord, RecordPurpose } from '../expected-record.ts';
import type { RecordFacts } from './record-facts.ts';

/** One occurrence of a problem. */
export interface Symptom {
  readonly severity?: 'warning';
  /** @default the expected record's name */
  readonly name?: string;
  readonly server?: string;
  readonly found: readonly string[];
  /** The remedy: the sentences that follow the problem in `Finding.fix`. */
  readonly action: string;
  /** The tenant need not enter the expected record. */
  readonly entersNothing?: boolean;
}

export interface FindingRule {
  readonly check: (facts: RecordFacts) => readonly Symptom[];
  /** Checked only when no other rule has found an error. */
  readonly lastResort?: true;
  /** As in Symptom, for every symptom. */
  readonly entersNothing?: boolean;
  /** The problem, as a clause without a long value and without a final period. */
  readonly problem: string | ((seen: Seen) => string);
}

/** Without a server that the finding is about, `server` is empty. */
type Seen = Required<Pick<Symptom, 'name' | 'server' | 'found'>>;

/** By code; together, the tables of `finding-rules.ts` are all codes. */
export type FindingRules = Readonly<Record<string, FindingRule>>;

export function problemText(
  { problem }: FindingRule,
  { name, server = '', found }: Omit<Seen, 'server'> & Pick<Symptom, 'server'>,
): string {
  return typeof problem === 'string' ? problem : problem({ name, server, found });
}

/** Which record, where, and what is wrong with it: one sentence. */
export function describeProblem({ purpose, name }: Pick<ExpectedRecord, 'purpose' | 'name'>, problem: string): string {
  return `${recordNames[purpose]} record at ${name}: ${problem}.`;
}

export const recordNames: Readonly<Record<RecordPurpose, string>> = {
  dkim: 'DKIM',
  spf: 'SPF',
  return_path: 'Return path',
  dmarc: 'DMARC',
};

// The sentences below end in the value, because people copy to the end of the line.

export function addRecord({ expected: { type, value }, host }: RecordFacts): string {
  return `Add ${type === 'MX' ? 'an' : 'a'} ${type} record at host ${host} with value ${value}`;
}

/** @param toDelete such as `CNAME record` */
export function deleteAndAdd({ expected: { type, value }, host }: RecordFacts, toDelete: string): string {
  return `Delete the ${toDelete} at host ${host} and add one ${type} record there with value ${value}`;
}

export function replaceValue({ expected: { type, value }, host }: RecordFacts): string {
  return `Replace the value of the ${type} record at host ${host} with ${value}`;
}

/** For one value or more that the expected one must replace; none when `found` returns none. */
export function replaceRule(
  problem: FindingRule['problem'],
  found: (facts: RecordFacts) => readonly string[],
  about: (facts: RecordFacts) => string = () => '',
): FindingRule {
  return {
    check: (facts) => {
      const values = found(facts);
      return values.length === 0 ? [] : [{ found: values, action: `${about(facts)}${replaceValue(facts)}` }];
    },
    problem,
  };
}

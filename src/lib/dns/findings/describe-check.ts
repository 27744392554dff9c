import { describeProblem, problemText, recordNames } from './finding-rule.ts';
import { findingRules } from './finding-rules.ts';
import type { DomainCheck, RecordCheck } from '../domain-check.ts';

/** Short enough for a failure message in the Temporal UI. */
const BYTES_MAX = 1_000;

/** One sentence for each record, at most 1,000 bytes, the same text for the same state. */
export function describeCheck(check: DomainCheck): string {
  const text = check.records.map(describeRecord).join(' ');
  if (Buffer.byteLength(text) <= BYTES_MAX) return text;
  const cut = Buffer.from(text)
    .subarray(0, BYTES_MAX - 3)
    .toString('utf8');
  return `${cut.replace(/\uFFFD+$/, '')}...`;
}

function describeRecord(record: RecordCheck): string {
  if (record.status === 'found') return `${recordNames[record.purpose]} record found.`;
  const errors = record.findings.filter((finding) => finding.severity === 'error');
  const problems = [...new Set(errors.map((finding) => problemText(findingRules[finding.code], finding)))].sort();
  const prefix = record.status === 'inconclusive' ? 'inconclusive, ' : '';
  return describeProblem(record, `${prefix}${problems.join('; ') || record.status}`);
}

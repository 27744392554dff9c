import type { CheckResult, LastConclusive, PreviousCheck } from './check-result.ts';
import type { Outcome } from './reasons.ts';

/** What is told to whoever keeps the catalogue. */
export interface OutcomeChange {
  readonly producerId: string;
  readonly from: LastConclusive;
  readonly to: CheckResult & { readonly outcome: Outcome };
}

/**
 * Null when there is nothing to tell: the first result is no change, and an inconclusive one says nothing about the file.
 * Another organization of the same producer is compared too: its outcome is what the catalogue shows.
 */
export function outcomeChange(previous: PreviousCheck | null, result: CheckResult): OutcomeChange | null {
  const from = previous?.lastConclusive ?? null;
  const { outcome } = result;
  if (from === null || outcome === null || outcome === from.outcome) return null;
  return { producerId: result.subject.producerId, from, to: { ...result, outcome } };
}

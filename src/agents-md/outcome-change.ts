import type { CheckResult, LastConclusive, PreviousCheck } from './check-result.ts';
import type { Outcome } from './reasons.ts';

export interface OutcomeChange {
  readonly producerId: string;
  readonly from: LastConclusive;
  readonly to: CheckResult & { readonly outcome: Outcome };
}

/**
 * Null for the first result, for an inconclusive one, and for the same outcome. Compares across organizations: the
 * outcome belongs to the producer.
 */
export function outcomeChange(previous: PreviousCheck | null, result: CheckResult): OutcomeChange | null {
  const from = previous?.lastConclusive ?? null;
  const { outcome } = result;
  if (from === null || outcome === null || outcome === from.outcome) return null;
  return { producerId: result.subject.producerId, from, to: { ...result, outcome } };
}

// When a running onboarding must have left its stage at the latest. One that has not is a defect, or is stuck: every step and wait has a
// limit of its own in `workflows/`, and ends the onboarding there.
import type { OnboardingRecord } from './onboarding-record.ts';
import { ACCOUNT_PATIENCE_DAYS, DELIVERY_WINDOW_HOURS, PATIENCE_HOURS, UNDO_PATIENCE_HOURS } from './time-limits.ts';
import { Stage } from './stage.ts';
import { undoableRows } from './steps.ts';

const HOUR_MS = 3_600_000;
/** More than a step, an inconclusive final check, and all undos take. */
const PATIENCE_MS = (Math.max(PATIENCE_HOURS, undoableRows.length * UNDO_PATIENCE_HOURS) + 6) * HOUR_MS;
const ACCOUNT_PATIENCE_MS = (ACCOUNT_PATIENCE_DAYS + 2) * 24 * HOUR_MS;

/** RFC 3339 UTC; null if it has ended. */
export function stageDueAt({
  outcome,
  onboarding,
  stageSince,
}: Pick<OnboardingRecord, 'outcome' | 'onboarding' | 'stageSince'>): string | null {
  if (outcome !== 'running') return null;
  const { stage, verificationDeadline, provider } = onboarding;
  const since = Date.parse(stageSince);
  const regularEnd =
    stage === Stage.awaitingDomain
      ? Math.max(since, Date.parse(verificationDeadline ?? stageSince))
      : stage === Stage.awaitingDelivery
        ? since + DELIVERY_WINDOW_HOURS * HOUR_MS
        : since;
  return new Date(regularEnd + (provider === undefined ? PATIENCE_MS : ACCOUNT_PATIENCE_MS)).toISOString();
}

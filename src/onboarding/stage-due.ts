// When a running onboarding must have left its stage at the latest. One that has not is a defect, or is stuck: every step and wait has a
// limit of its own in `workflows/`, and ends the onboarding there.
import type { OnboardingRecord } from './onboarding-record.ts';
import { Stage } from './stage.ts';

const HOUR_MS = 3_600_000;
/** More than an outage that a step survives, than the time of an inconclusive final check, and than that of four undos: a day. */
const PATIENCE_MS = 30 * HOUR_MS;
/** The same at an operator's account, whose quota may be used up for a month. */
const ACCOUNT_PATIENCE_MS = 37 * 24 * HOUR_MS;
const DELIVERY_WINDOW_MS = 72 * HOUR_MS;

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
        ? since + DELIVERY_WINDOW_MS
        : since;
  return new Date(regularEnd + (provider === undefined ? PATIENCE_MS : ACCOUNT_PATIENCE_MS)).toISOString();
}

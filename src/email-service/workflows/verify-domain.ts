import { ActivityCancellationType, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { continueAsNew } from '../../lib/workflow-waits/continue-as-new.ts';
import { handleSignal } from '../../lib/workflow-waits/handle-signal.ts';
import { pollUntil } from '../../lib/workflow-waits/poll-until.ts';
import type { Activities } from '../activities/index.ts';
import { checkNowSignal } from './messages.ts';

export interface VerifyDomainInput {
  readonly domainId: string;
  /** Milliseconds since the epoch; set only by Continue-As-New. @default 30 days from the start */
  readonly watchUntil?: number;
}

export interface VerifyDomainResult {
  readonly domainId: string;
  readonly outcome: 'verified' | 'deleted' | 'notVerified';
}

/** After this, the domain is checked only on request. */
const WATCH_FOR_MS = 30 * 24 * 3_600_000;

const { checkDomain } = proxyActivities<Activities>({
  // If no server answers, a check takes some 25 seconds to report that and must not time out before.
  startToCloseTimeout: '45 seconds',
  // A running check may find the records, and its round must end before the next one is scheduled.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  // For checks that were cut off. A completed check sets the delay itself.
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});

/** Checks a domain's records until they are right, for 30 days; the Signal `checkNow` requests a check at once. */
export async function verifyDomain({ domainId, watchUntil }: VerifyDomainInput): Promise<VerifyDomainResult> {
  const requests = { count: 0 };
  handleSignal(checkNowSignal, () => {
    requests.count += 1;
  });
  const until = watchUntil ?? workflowInfo().startTime.getTime() + WATCH_FOR_MS;
  const found = await pollUntil({
    poll: (round) =>
      checkDomain.executeWithOptions({ activityId: `check-domain-${String(round)}`, summary: `Check ${domainId}` }, [
        { domainId },
      ]),
    wakeUps: () => requests.count,
    // Every Signal adds an event, so after many requests the Workflow continues as new before it reaches its limit.
    deadline: () => (workflowInfo().continueAsNewSuggested ? 0 : until),
    summary: () => `30 days for ${domainId}`,
  });
  if (found !== undefined) return { domainId, outcome: found.value.outcome };
  if (Date.now() < until) await continueAsNew<typeof verifyDomain>({ domainId, watchUntil: until });
  return { domainId, outcome: 'notVerified' };
}

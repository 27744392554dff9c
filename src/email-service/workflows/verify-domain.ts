import {
  ActivityCancellationType,
  continueAsNew,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { pollUntil } from '../../lib/waiting/poll-until.ts';
import type { Activities } from '../activities/index.ts';
import { checkNowSignal } from './messages.ts';

export interface VerifyDomainInput {
  readonly domainId: string;
  /** Milliseconds since the epoch. @default 30 days from the start; set only when the Workflow continues as new */
  readonly watchUntil?: number;
}

export interface VerifyDomainResult {
  readonly domainId: string;
  readonly outcome: 'verified' | 'deleted' | 'notVerified';
}

/** After this the domain is looked at only when somebody asks for it. */
const WATCH_FOR_MS = 30 * 24 * 3_600_000;

const { checkDomain } = proxyActivities<Activities>({
  // Where every server is silent, a look takes some 25 seconds and says so; it must not be cut off before.
  startToCloseTimeout: '45 seconds',
  // A look that is under way may bring the answer, and its round must be over before the next one is scheduled.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  // For looks that were cut off. After one that came to an end the look itself says when the next one is due.
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '5 minutes' },
});

/** Looks at a domain's records until they are right, for 30 days; `lookNow` asks for a look at once. */
export async function verifyDomain({ domainId, watchUntil }: VerifyDomainInput): Promise<VerifyDomainResult> {
  const asked = { times: 0 };
  setHandler(checkNowSignal, () => {
    asked.times += 1;
  });
  const until = watchUntil ?? workflowInfo().startTime.getTime() + WATCH_FOR_MS;
  const found = await pollUntil({
    poll: (round) =>
      checkDomain.executeWithOptions({ activityId: `check-domain-${String(round)}`, summary: `Look at ${domainId}` }, [
        { domainId },
      ]),
    notifications: () => asked.times,
    // Every Signal costs history: somebody who asks all day long gets a new run, not a Workflow that hits its limit.
    deadline: () => (workflowInfo().continueAsNewSuggested ? 0 : until),
    summary: `30 days for ${domainId}`,
  });
  if (found !== undefined) return { domainId, outcome: found.value.outcome };
  if (Date.now() < until) await continueAsNew<typeof verifyDomain>({ domainId, watchUntil: until });
  return { domainId, outcome: 'notVerified' };
}

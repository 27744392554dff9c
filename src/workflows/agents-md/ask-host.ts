import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  isCancellation,
  proxyActivities,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { AgentsMdActivities } from '../../activities/index.ts';
import type { NextStep } from '../../agents-md/next-step.ts';
import type { Observation } from '../../agents-md/observation.ts';
import { type FailedRequest, unanswered } from '../../agents-md/unanswered.ts';
import { isObject } from '../../lib/json-value.ts';
import { hostTaskQueue } from '../messages.ts';
import { wasCancelled } from '../was-cancelled.ts';

/**
 * One request to a code host. Half a day covers a host that throttles for hours and checks queued at the host's rate;
 * after it the check is inconclusive.
 */
const { fetchAgentsFile, resolvePrimaryRepository } = proxyActivities<AgentsMdActivities>({
  // The HTTP client gives up after 10 seconds, redirects included.
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '12 hours',
  // For a Worker that died: after an answer of the host, the Activity sets the delay or gives up. Constant, because
  // attempts that the host throttled count too.
  retry: { initialInterval: '10 seconds', backoffCoefficient: 1 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

type Question = Exclude<NextStep, { step: 'conclude' }>;

/**
 * Asks a code host on its own Task Queue, which limits the request rate. If the host does not answer before the time
 * limit, that is an observation too.
 */
export async function askHost(question: Question): Promise<Observation> {
  try {
    return await ask(question);
  } catch (error) {
    // An attempt in flight ends with its own failure, although the check was cancelled.
    if (wasCancelled(error)) throw isCancellation(error) ? error : new CancelledFailure('the check was cancelled');
    if (!(error instanceof ActivityFailure)) throw error;
    return unanswered(question, lastFailure(error), new Date().toISOString());
  }
}

function ask(question: Question): Promise<Observation> {
  const { host, hopsMax } = question;
  const taskQueue = hostTaskQueue(workflowInfo().taskQueue, host);
  if (question.step === 'resolve') {
    const { organization } = question;
    const summary = `Which repository of ${organization} is the primary one?`;
    return resolvePrimaryRepository.executeWithOptions({ summary, taskQueue }, [{ host, organization, hopsMax }]);
  }
  const { place, look, stored } = question;
  const { organization, repository, path } = place;
  const summary = `${organization}/${repository}/${path}${look === 'second' ? ', second check' : ''}`;
  return fetchAgentsFile.executeWithOptions({ summary, taskQueue }, [{ host, place, look, stored, hopsMax }]);
}

/** A timeout wraps the failure of the previous attempt, which is the reason to report. */
function lastFailure({ cause }: ActivityFailure): Parameters<typeof unanswered>[1] {
  const last = cause instanceof TimeoutFailure ? (cause.cause ?? cause) : cause;
  // Any other failure is a defect of ours and stays out of the result.
  if (!(last instanceof ApplicationFailure) || last.type?.startsWith('Host') !== true) return { type: null };
  const { type, details } = last;
  const asked: unknown = details?.[0];
  return isFailedRequest(asked) ? { type, message: asked.reason, url: asked.url } : { type };
}

const isFailedRequest = (details: unknown): details is FailedRequest =>
  isObject(details) && typeof details['reason'] === 'string' && typeof details['url'] === 'string';

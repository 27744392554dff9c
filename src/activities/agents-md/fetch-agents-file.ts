import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { type ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { PlaceFetcher, PlaceRequest, RepositoryRequest } from '../../code-host/fetch-place.ts';
import { type HostFailure, HostRefused, HostThrottled, HostUnreachable } from '../../code-host/host-failure.ts';
import { isObject } from '../../lib/json-value.ts';
import type { FileObservation, ResolutionObservation } from '../../agents-md/observation.ts';
import type { FailedRequest } from '../../agents-md/unanswered.ts';
import { expectedFailure } from '../../lib/expected-failure.ts';

/** Consecutive failures of earlier attempts, passed on in the heartbeat details. */
interface Failures {
  readonly outages: number;
  readonly refusals: number;
}

const noFailures: Failures = { outages: 0, refusals: 0 };

/** Ten minutes with the delays between them; then the check is inconclusive. */
const OUTAGES_MAX = 8;
const OUTAGE_DELAY_MS = 5_000;

/** For a refusal without a reason: one minute, doubled each time, as GitHub documents. */
const REFUSALS_MAX = 4;
const REFUSAL_DELAY_MS = 60_000;

export interface AgentsFileDependencies {
  readonly placeFetcher: Pick<PlaceFetcher, 'fetchPlace' | 'resolveRepository'>;
}

/**
 * The requests of the AGENTS.md check. Any answer of the host is an observation. The failures are `HostThrottled`, retried
 * until the Activity's time limit, and `HostUnreachable` and `HostRefused`, retried a few times; their details are one
 * `FailedRequest`.
 */
export function agentsFileActivities({ placeFetcher }: AgentsFileDependencies) {
  return {
    /** One file at one place. */
    async fetchAgentsFile(question: PlaceRequest): Promise<FileObservation> {
      const { organization, repository, path } = question.place;
      return orRetryLater(
        `${organization}/${repository}/${path}`,
        placeFetcher.fetchPlace(question, cancellationSignal()),
      );
    },

    /** Finds the primary repository of an organization. */
    async resolvePrimaryRepository(question: RepositoryRequest): Promise<ResolutionObservation> {
      return orRetryLater(
        `the list of repositories of ${question.organization}`,
        placeFetcher.resolveRepository(question, cancellationSignal()),
      );
    },
  };
}

async function orRetryLater<Observed>(asked: string, answer: Promise<Observed>): Promise<Observed> {
  try {
    return await answer;
  } catch (error) {
    const { outages, refusals } = earlierFailures();
    if (error instanceof HostThrottled) {
      heartbeat(noFailures);
      throw throttled(asked, error);
    }
    if (error instanceof HostUnreachable) {
      heartbeat({ outages: outages + 1, refusals: 0 });
      throw attemptFailure(asked, error, outages + 1 < OUTAGES_MAX ? OUTAGE_DELAY_MS * 2 ** outages : undefined);
    }
    if (error instanceof HostRefused) {
      heartbeat({ outages: 0, refusals: refusals + 1 });
      throw attemptFailure(asked, error, refusals + 1 < REFUSALS_MAX ? REFUSAL_DELAY_MS * 2 ** refusals : undefined);
    }
    throw error;
  }
}

function earlierFailures(): Failures {
  const details: unknown = activityInfo().heartbeatDetails;
  if (!isObject(details)) return noFailures;
  const count = (value: unknown): number => (typeof value === 'number' ? value : 0);
  return { outages: count(details['outages']), refusals: count(details['refusals']) };
}

/** @param nextRetryDelay undefined: this was the last attempt */
function attemptFailure(asked: string, error: HostFailure, nextRetryDelay: number | undefined): ApplicationFailure {
  return expectedFailure({
    type: error.name,
    details: [failedRequest(error)],
    ...(nextRetryDelay === undefined
      ? { message: error.message, nonRetryable: true }
      : { message: `${error.message}; retrying ${asked}`, nextRetryDelay }),
  });
}

/** BENIGN: throttling is normal, not an error for operators. */
function throttled(asked: string, error: HostThrottled): ApplicationFailure {
  const { message, retryAfterMs: nextRetryDelay, why } = error;
  const seconds = Math.ceil(nextRetryDelay / 1_000);
  return expectedFailure({
    type: error.name,
    category: ApplicationFailureCategory.BENIGN,
    message: `${message}; retrying ${asked} in ${seconds} s (${why})`,
    nextRetryDelay,
    details: [failedRequest(error)],
  });
}

/** For the check's result, which must not announce a retry. */
const failedRequest = ({ message, url }: HostFailure): FailedRequest => ({
  reason: message,
  url,
});

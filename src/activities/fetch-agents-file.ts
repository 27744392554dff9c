import { activityInfo, cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { PlaceFetcher, PlaceQuestion, RepositoryQuestion } from '../code-host-client/fetch-place.ts';
import { HostThrottled, HostUnreachable } from '../code-host-client/host-failure.ts';
import type { FileObservation, ResolutionObservation } from '../agents-md/observation.ts';
import type { AskedInVain } from '../agents-md/unanswered.ts';
import { withoutStack } from './without-stack.ts';

/** A host that does not say how long: a minute, doubled with each attempt up to half an hour. */
const THROTTLED_DELAY_MS = 60_000;
const THROTTLED_DELAY_MS_MAX = 30 * 60_000;

/** With the Workflow's pauses between them this is ten minutes: a host that is down for longer is asked another day. */
const UNREACHABLE_ATTEMPTS_MAX = 8;

export interface AgentsFileDependencies {
  readonly placeFetcher: Pick<PlaceFetcher, 'fetchPlace' | 'resolveRepository'>;
}

/**
 * The requests of the AGENTS.md check. What a host answers is an observation; only a host that cannot be asked now is a
 * failure: `HostThrottled`, which is retried for as long as the Workflow waits, or `HostUnreachable`, which is
 * retried a few times. Their details are one `AskedInVain`.
 */
export function agentsFileActivities({ placeFetcher }: AgentsFileDependencies) {
  return {
    /** One file at one place. */
    async fetchAgentsFile(question: PlaceQuestion): Promise<FileObservation> {
      const { organization, repository, path } = question.place;
      return orAskLater(
        `${organization}/${repository}/${path}`,
        placeFetcher.fetchPlace(question, cancellationSignal()),
      );
    },

    /** Which repository of the organization is the primary one. */
    async resolvePrimaryRepository(question: RepositoryQuestion): Promise<ResolutionObservation> {
      return orAskLater(
        `the list of repositories of ${question.organization}`,
        placeFetcher.resolveRepository(question, cancellationSignal()),
      );
    },
  };
}

async function orAskLater<Observed>(asked: string, answer: Promise<Observed>): Promise<Observed> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof HostThrottled) throw throttled(asked, error);
    if (error instanceof HostUnreachable) {
      const isLast = activityInfo().attempt >= UNREACHABLE_ATTEMPTS_MAX;
      throw withoutStack(
        ApplicationFailure.create({
          type: 'HostUnreachable',
          nonRetryable: isLast,
          message: isLast ? error.message : `${error.message}; ${asked} is asked for again`,
          details: [inVain(error)],
        }),
      );
    }
    throw error;
  }
}

/** BENIGN: being asked to wait is how a host works, not an error for ops. */
function throttled(asked: string, error: HostThrottled): ApplicationFailure {
  const { message, retryAfterMs } = error;
  const doubled = THROTTLED_DELAY_MS * 2 ** Math.min(activityInfo().attempt - 1, 10);
  const nextRetryDelay = retryAfterMs ?? Math.min(doubled, THROTTLED_DELAY_MS_MAX);
  const why = retryAfterMs === undefined ? 'it did not say how long' : 'as it asks';
  const wait = `waiting ${Math.ceil(nextRetryDelay / 1_000)} s (${why}), then ${asked} is asked for again`;
  return withoutStack(
    ApplicationFailure.create({
      type: 'HostThrottled',
      category: ApplicationFailureCategory.BENIGN,
      message: `${message}; ${wait}`,
      nextRetryDelay,
      details: [inVain(error)],
    }),
  );
}

/** The message tells what an attempt makes of it, which may never happen: the result tells only this. */
const inVain = ({ message, url }: HostThrottled | HostUnreachable): AskedInVain => ({ reason: message, url });

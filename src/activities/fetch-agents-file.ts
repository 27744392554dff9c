import { activityInfo, cancellationSignal, Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { PlaceFetcher, PlaceRequest, RepositoryRequest } from '../code-host/fetch-place.ts';
import { HostRefused, HostThrottled, HostUnreachable } from '../code-host/host-failure.ts';
import { isObject } from '../agents-md/code-host.ts';
import type { FileObservation, ResolutionObservation } from '../agents-md/observation.ts';
import type { AskedInVain } from '../agents-md/unanswered.ts';
import { withoutStack } from '../lib/without-stack.ts';

/** What earlier attempts of one question met, in a row. Heartbeat details carry it from attempt to attempt. */
interface Met {
  readonly outages: number;
  readonly refusals: number;
}

const metNothing: Met = { outages: 0, refusals: 0 };

/** With the pauses between them this is ten minutes: a host that is down for longer is asked another day. */
const OUTAGES_MAX = 8;
const OUTAGE_DELAY_MS = 5_000;

/** A host that refuses one address without a reason: a minute, then doubled, as GitHub documents. */
const REFUSALS_MAX = 4;
const REFUSAL_DELAY_MS = 60_000;

export interface AgentsFileDependencies {
  readonly placeFetcher: Pick<PlaceFetcher, 'fetchPlace' | 'resolveRepository'>;
}

/**
 * The requests of the AGENTS.md check. What a host answers is an observation; only a host that cannot be asked now is a
 * failure: `HostThrottled`, which is retried for as long as the Workflow waits, or `HostUnreachable` and `HostRefused`,
 * which are retried a few times. Their details are one `AskedInVain`.
 */
export function agentsFileActivities({ placeFetcher }: AgentsFileDependencies) {
  return {
    /** One file at one place. */
    async fetchAgentsFile(question: PlaceRequest): Promise<FileObservation> {
      const { organization, repository, path } = question.place;
      return orAskLater(
        `${organization}/${repository}/${path}`,
        placeFetcher.fetchPlace(question, cancellationSignal()),
      );
    },

    /** Which repository of the organization is the primary one. */
    async resolvePrimaryRepository(question: RepositoryRequest): Promise<ResolutionObservation> {
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
    const { outages, refusals } = metBefore();
    if (error instanceof HostThrottled) {
      note(metNothing);
      throw throttled(asked, error);
    }
    if (error instanceof HostUnreachable) {
      note({ outages: outages + 1, refusals: 0 });
      throw askedAgain(asked, error, outages + 1 < OUTAGES_MAX ? OUTAGE_DELAY_MS * 2 ** outages : undefined);
    }
    if (error instanceof HostRefused) {
      note({ outages: 0, refusals: refusals + 1 });
      throw askedAgain(asked, error, refusals + 1 < REFUSALS_MAX ? REFUSAL_DELAY_MS * 2 ** refusals : undefined);
    }
    throw error;
  }
}

const note = (met: Met): void => {
  Context.current().heartbeat(met);
};

/** An attempt of an older version has left nothing. */
function metBefore(): Met {
  const met: unknown = activityInfo().heartbeatDetails;
  if (!isObject(met)) return metNothing;
  const count = (value: unknown): number => (typeof value === 'number' ? value : 0);
  return { outages: count(met['outages']), refusals: count(met['refusals']) };
}

/** @param nextRetryDelay undefined: this was the last attempt */
function askedAgain(
  asked: string,
  error: HostUnreachable | HostRefused,
  nextRetryDelay: number | undefined,
): ApplicationFailure {
  return withoutStack(
    ApplicationFailure.create({
      type: error.name,
      details: [inVain(error)],
      ...(nextRetryDelay === undefined
        ? { message: error.message, nonRetryable: true }
        : { message: `${error.message}; ${asked} is asked for again`, nextRetryDelay }),
    }),
  );
}

/** BENIGN: being asked to wait is how a host works, not an error for ops. */
function throttled(asked: string, error: HostThrottled): ApplicationFailure {
  const { message, retryAfterMs: nextRetryDelay, why } = error;
  const seconds = Math.ceil(nextRetryDelay / 1_000);
  return withoutStack(
    ApplicationFailure.create({
      type: error.name,
      category: ApplicationFailureCategory.BENIGN,
      message: `${message}; waiting ${seconds} s (${why}), then ${asked} is asked for again`,
      nextRetryDelay,
      details: [inVain(error)],
    }),
  );
}

/** The message tells what an attempt makes of it, which may never happen: the result tells only this. */
const inVain = ({ message, url }: HostThrottled | HostUnreachable | HostRefused): AskedInVain => ({
  reason: message,
  url,
});

import { codeHosts } from './code-hosts.ts';
import type { NextStep } from './next-step.ts';
import { NoAnswer, type Observation, RULE_VERSION, nothingRead } from './observation.ts';

/** The details of an Activity's failure: why a request to a host failed. */
export interface FailedRequest {
  /** The cause alone, without the next attempt. */
  readonly reason: string;
  /** The requested URL, which may be a mirror's or a redirect's; without its query. */
  readonly url: string;
}

const noAnswers: Readonly<Record<string, NoAnswer>> = {
  HostThrottled: NoAnswer.throttled,
  HostRefused: NoAnswer.refused,
};

/**
 * The observation of a request whose retries are over; it makes the check inconclusive.
 *
 * @param failure the Activity's last failure; only its type if the time ran out before any attempt failed
 * @param observedAt ISO 8601, UTC
 */
export function unanswered(
  step: Exclude<NextStep, { step: 'conclude' }>,
  failure: { readonly type: string | null | undefined; readonly message?: string; readonly url?: string },
  observedAt: string,
): Observation {
  const host = codeHosts[step.host];
  const asked = {
    answer: noAnswers[failure.type ?? ''] ?? NoAnswer.unreachable,
    httpStatus: null,
    redirects: [],
    detail: (failure.message ?? `no request to ${host.name} was possible in time`).replace(/\.$/, ''),
    observedAt,
  };
  if (step.step === 'resolve') {
    return {
      kind: 'resolution',
      ...asked,
      url: failure.url ?? host.urls.api,
      repository: null,
      selectedBy: null,
    };
  }
  const { place, look } = step;
  return {
    kind: 'file',
    ruleVersion: RULE_VERSION,
    ...asked,
    url: failure.url ?? host.fileUrl(host.urls, place),
    place,
    look,
    ...nothingRead,
  };
}

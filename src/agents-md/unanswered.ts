import { codeHosts } from './code-hosts.ts';
import type { NextStep } from './next-step.ts';
import { NoAnswer, type Observation, RULE_VERSION, nothingRead } from './observation.ts';

/** What a host's failure says of the attempt that met it. */
export interface AskedInVain {
  /** The cause alone, without what was to be done about it. */
  readonly reason: string;
  /** What was asked for, which may be a mirror's or a redirect's; without its query. */
  readonly url: string;
}

const noAnswers: Readonly<Record<string, NoAnswer>> = {
  HostThrottled: NoAnswer.throttled,
  HostRefused: NoAnswer.refused,
};

/**
 * What a Workflow notes of a step whose retries are over: the check then ends without a conclusion.
 *
 * @param failure the Activity's last one: its type, its cause as `AskedInVain` tells it, and what was asked for; only
 *   the type when the time ran out before any attempt had failed
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
    detail: (failure.message ?? `${host.name} could not be asked in time`).replace(/\.$/, ''),
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

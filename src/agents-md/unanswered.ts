import { codeHosts } from './code-hosts.ts';
import type { NextStep } from './next-step.ts';
import { NoAnswer, type Observation, RULE_VERSION } from './observation.ts';

/**
 * What a Workflow notes of a step whose retries are over: the check then ends without a conclusion.
 *
 * @param failure type and message of the Activity's last failure
 * @param observedAt ISO 8601, UTC
 */
export function unanswered(
  step: Exclude<NextStep, { step: 'conclude' }>,
  failure: { readonly type: string | null | undefined; readonly message: string },
  observedAt: string,
): Observation {
  const host = codeHosts[step.host];
  const asked = {
    answer: failure.type === 'HostThrottled' ? NoAnswer.throttled : NoAnswer.unreachable,
    httpStatus: null,
    redirects: [],
    detail: failure.message.replace(/\.$/, ''),
    observedAt,
  };
  if (step.step === 'resolve') {
    return { kind: 'resolution', ...asked, url: host.urls.api, repository: null, selectedBy: null };
  }
  const { place, look } = step;
  return {
    kind: 'file',
    ruleVersion: RULE_VERSION,
    ...asked,
    url: host.fileUrl(host.urls, place),
    place,
    look,
    etag: null,
    sha256: null,
    excerpt: null,
    measurement: null,
    symlink: null,
    namedFiles: [],
  };
}

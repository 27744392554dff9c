import { checkFacts, type CheckFacts } from './check-facts.ts';
import type { CheckSoFar } from './check-result.ts';
import type { HostName } from './code-host.ts';
import { judge } from './judge.ts';
import { type FileObservation, type CheckedPlace, RULE_VERSION } from './observation.ts';

/**
 * Requests of one check: for the primary repository, for each file, for a second check of a file, and for redirects. An
 * Activity's retries do not count, nor do observations of other checks.
 */
export const REQUESTS_MAX = 3;
/** Long enough for a host's caches and for a branch that is being rewritten. */
const SECOND_CHECK_AFTER_MS = 30 * 60_000;

export type NextStep =
  | {
      readonly step: 'resolve';
      readonly host: HostName;
      readonly organization: string;
      /** The number of redirects that may be followed: each counts as a request of the check. */
      readonly hopsMax: number;
    }
  | {
      readonly step: 'fetch';
      readonly host: HostName;
      readonly place: CheckedPlace;
      readonly look: FileObservation['look'];
      /** ISO 8601, UTC; null: at once. */
      readonly notBefore: string | null;
      /** The previous observation: its ETag is sent, and 304 confirms it. */
      readonly stored: FileObservation | null;
      readonly hopsMax: number;
    }
  | { readonly step: 'conclude' };

export function nextStep(soFar: CheckSoFar): NextStep {
  const facts = checkFacts(soFar);
  const judgement = judge(facts);
  const { host, organization } = facts.subject;
  const requestsLeft = REQUESTS_MAX - requestsOf(soFar);
  if (judgement.open === null || organization === null || requestsLeft <= 0) return { step: 'conclude' };
  const hopsMax = requestsLeft - 1;
  if (judgement.open === 'resolution') return { step: 'resolve', host, organization, hopsMax };
  const { place, look } = judgement;
  return {
    step: 'fetch',
    host,
    place,
    look,
    notBefore: look === 'first' ? null : secondCheckAt(soFar),
    stored: storedObservation(facts, place),
    hopsMax,
  };
}

const requestsOf = ({ observations, given }: CheckSoFar): number =>
  observations
    .slice(given?.observations)
    .reduce((sum, asked) => sum + 1 + asked.redirects.length + ('namesakeUrl' in asked ? 1 : 0), 0);

function secondCheckAt({ observations, startedAt }: CheckSoFar): string {
  const lastSeen = Math.max(...[startedAt, ...observations.map(({ observedAt }) => observedAt)].map(Date.parse));
  return new Date(lastSeen + SECOND_CHECK_AFTER_MS).toISOString();
}

/** An ETag is sent only if today's rule made the measurement it stands for. */
function storedObservation({ previous }: CheckFacts, { repository, path }: CheckedPlace): FileObservation | null {
  const stored = previous?.observations.find(({ place }) => place.repository === repository && place.path === path);
  return stored?.etag != null && stored.ruleVersion === RULE_VERSION ? stored : null;
}

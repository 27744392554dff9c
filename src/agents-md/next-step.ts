import { checkFacts, type CheckFacts } from './check-facts.ts';
import type { CheckSoFar } from './check-result.ts';
import type { HostName } from './code-host.ts';
import { judge } from './judge.ts';
import { type FileObservation, type CheckedPlace, RULE_VERSION } from './observation.ts';

/**
 * Requests of one check: the one that finds the primary repository, one for each file, one for a second look, and the
 * hops of redirects. A retry of Temporal belongs to the request it repeats; what a check was given counts nothing.
 */
export const REQUESTS_MAX = 3;
/** Long enough for a host's caches and for a branch that is being rewritten. */
const SECOND_CHECK_AFTER_MS = 30 * 60_000;

/** What a Workflow does next; it decides nothing itself. */
export type NextStep =
  | {
      readonly step: 'resolve';
      readonly host: HostName;
      readonly organization: string;
      /** How many redirects may be followed. */
      readonly hopsMax: number;
    }
  | {
      readonly step: 'fetch';
      readonly host: HostName;
      readonly place: CheckedPlace;
      readonly look: FileObservation['look'];
      /** Not before this moment, ISO 8601 in UTC; null: at once. */
      readonly notBefore: string | null;
      /** What the place answered before, for its ETag. */
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

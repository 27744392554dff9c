import type { CheckSoFar } from './check-result.ts';
import type { HostName } from './code-host.ts';
import { judge } from './judge.ts';
import { type FileObservation, type LookPlace, RULE_VERSION } from './observation.ts';
import { previousOfSameSubject, subjectOf } from './subject-of.ts';

/**
 * Requests of one check: the one that finds the primary repository, one for each file, one for a second look. The hops
 * of a redirect belong to the request that met it, and a retry of Temporal to the request it repeats.
 */
export const REQUESTS_MAX = 3;
/** Long enough for a host's caches and for a branch that is being rewritten. */
const SECOND_LOOK_AFTER_MS = 30 * 60_000;

/** What a Workflow does next; it decides nothing itself. */
export type NextStep =
  | { readonly step: 'resolve'; readonly host: HostName; readonly organization: string }
  | {
      readonly step: 'fetch';
      readonly host: HostName;
      readonly place: LookPlace;
      readonly look: FileObservation['look'];
      /** Not before this moment, ISO 8601 in UTC; null: at once. */
      readonly notBefore: string | null;
      /** What the place answered before, for its ETag. */
      readonly stored: FileObservation | null;
    }
  | { readonly step: 'conclude' };

export function nextStep(soFar: CheckSoFar): NextStep {
  const judgement = judge(soFar);
  const { host, organization } = subjectOf(soFar);
  if (judgement.open === null || organization === null || soFar.observations.length >= REQUESTS_MAX) {
    return { step: 'conclude' };
  }
  if (judgement.open === 'resolution') return { step: 'resolve', host, organization };
  const { place, look } = judgement;
  return {
    step: 'fetch',
    host,
    place,
    look,
    notBefore: look === 'first' ? null : secondLookAt(soFar),
    stored: storedObservation(soFar, place),
  };
}

function secondLookAt({ observations, startedAt }: CheckSoFar): string {
  const lastSeen = Math.max(...[startedAt, ...observations.map(({ observedAt }) => observedAt)].map(Date.parse));
  return new Date(lastSeen + SECOND_LOOK_AFTER_MS).toISOString();
}

/** An ETag is only worth sending when the measurement it stands for was made by today's rule. */
function storedObservation(soFar: CheckSoFar, { repository, path }: LookPlace): FileObservation | null {
  const stored = previousOfSameSubject(soFar)?.observations.find(
    ({ place }) => place.repository === repository && place.path === path,
  );
  return stored?.etag != null && stored.ruleVersion === RULE_VERSION ? stored : null;
}

import type { CheckSoFar, CheckSubject, ResolvedRepository } from './check-result.ts';
import { HostName, isSameName } from './code-host.ts';
import { codeHosts } from './code-hosts.ts';
import { type CheckedPlace, FoundIn, type ResolutionObservation } from './observation.ts';
import { SelectedBy } from './select-repository.ts';

/** An organization's primary repository changes rarely; asking each week would double the requests. */
const RESOLUTION_LASTS_MS = 30 * 24 * 3_600_000;

/** What the rule decides on and the result reports, derived once from everything the check knows. */
export type CheckFacts = ReturnType<typeof checkFacts>;

export function checkFacts(soFar: CheckSoFar) {
  const { producerId, host = HostName.github, organization = null, primaryRepository } = soFar.input;
  const resolution = soFar.observations.find((observation) => observation.kind === 'resolution');
  const resolved = organization === null ? null : resolvedRepository(soFar, { host, organization }, resolution);
  const subject: CheckSubject = {
    producerId,
    host,
    organization,
    primaryRepository: primaryRepository ?? resolved?.repository ?? null,
    selectedBy: primaryRepository === undefined ? (resolved?.selectedBy ?? null) : SelectedBy.input,
  };
  const last = soFar.previous?.result.subject;
  const isSameSubject =
    last?.host === host &&
    isSameName(last.organization, organization) &&
    (primaryRepository === undefined || isSameName(last.primaryRepository, primaryRepository));
  const previous = isSameSubject ? soFar.previous : null;
  return {
    subject,
    /** The primary repository as the host named it, in this check or in one of the last 30 days. */
    resolved,
    /** Undefined until this check has asked the host for the primary repository. */
    resolution,
    files: soFar.observations.filter((observation) => observation.kind === 'file'),
    /** Where the check reads AGENTS.md, in this order. */
    places: placesOf(subject, subject.primaryRepository),
    /** Null if the previous check was of another organization, or of another named repository. */
    previous,
    /** Last conclusive result of `previous`. */
    lastConclusive: previous?.result.lastConclusive ?? null,
  };
}

function resolvedRepository(
  { startedAt, previous, given }: CheckSoFar,
  { host, organization }: Pick<ResolvedRepository, 'host' | 'organization'>,
  resolution: ResolutionObservation | undefined,
): ResolvedRepository | null {
  if (resolution !== undefined) {
    const { answer, repository, selectedBy, observedAt } = resolution;
    if (answer !== 'resolved' && answer !== 'none') return null;
    return { host, organization, repository, selectedBy, resolvedAt: observedAt };
  }
  const isValid = (known: ResolvedRepository | null | undefined): known is ResolvedRepository =>
    known?.host === host &&
    isSameName(known.organization, organization) &&
    Date.parse(startedAt) - Date.parse(known.resolvedAt) < RESOLUTION_LASTS_MS;
  return [given?.resolved, previous?.resolved].find(isValid) ?? null;
}

/** The primary repository first, then the organization's fallback repository, unless that is the primary one. */
export function placesOf({ organization, host }: CheckSubject, primary: string | null): CheckedPlace[] {
  if (organization === null) return [];
  const fallback = codeHosts[host].fallbackRepository;
  const at = (foundIn: FoundIn, repository: string): CheckedPlace => ({
    in: foundIn,
    organization,
    repository,
    path: 'AGENTS.md',
  });
  return [
    ...(primary === null ? [] : [at(FoundIn.primary, primary)]),
    ...(fallback === null || primary?.toLowerCase() === fallback ? [] : [at(FoundIn.orgFallback, fallback)]),
  ];
}

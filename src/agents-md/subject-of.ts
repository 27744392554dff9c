import type { CheckSoFar, CheckSubject, ResolvedRepository } from './check-result.ts';
import { HostName } from './code-host.ts';
import { SelectedBy } from './select-repository.ts';

/** An organization's primary repository changes rarely; asking each week would double the requests. */
const RESOLUTION_LASTS_MS = 30 * 24 * 3_600_000;

export function subjectOf(soFar: CheckSoFar): CheckSubject {
  const { producerId, host = HostName.github, organization = null, primaryRepository } = soFar.input;
  const known = { producerId, host, organization };
  if (primaryRepository !== undefined) return { ...known, primaryRepository, selectedBy: SelectedBy.input };
  const resolved = resolvedRepository(soFar);
  return { ...known, primaryRepository: resolved?.repository ?? null, selectedBy: resolved?.selectedBy ?? null };
}

/** What is known of the organization's primary repository without asking: from this check, or from one of the last 30 days. */
export function resolvedRepository({
  input,
  startedAt,
  previous,
  observations,
  given,
}: CheckSoFar): ResolvedRepository | null {
  const { host = HostName.github, organization } = input;
  if (organization === undefined) return null;
  const asked = observations.find(({ kind }) => kind === 'resolution');
  if (asked?.kind === 'resolution') {
    if (asked.answer !== 'resolved' && asked.answer !== 'none') return null;
    const { repository, selectedBy, observedAt } = asked;
    return { host, organization, repository, selectedBy, resolvedAt: observedAt };
  }
  const holds = (known: ResolvedRepository | null | undefined): known is ResolvedRepository =>
    known?.host === host &&
    isSameName(known.organization, organization) &&
    Date.parse(startedAt) - Date.parse(known.resolvedAt) < RESOLUTION_LASTS_MS;
  return [given?.resolved, previous?.resolved].find(holds) ?? null;
}

/**
 * The last check, when it looked at the same: of another organization, or of another repository that was named, it says
 * nothing. Hosts take names in any case.
 */
export function previousOfSameSubject({ input, previous }: CheckSoFar): CheckSoFar['previous'] {
  const { host = HostName.github, organization = null, primaryRepository } = input;
  const last = previous?.result.subject;
  const isSame =
    last?.host === host &&
    isSameName(last.organization, organization) &&
    (primaryRepository === undefined || isSameName(last.primaryRepository, primaryRepository));
  return isSame ? previous : null;
}

export const isSameName = (one: string | null, other: string | null): boolean =>
  one?.toLowerCase() === other?.toLowerCase();

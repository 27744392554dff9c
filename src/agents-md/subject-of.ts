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
}: CheckSoFar): ResolvedRepository | null {
  const { host = HostName.github, organization } = input;
  if (organization === undefined) return null;
  const asked = observations.find(({ kind }) => kind === 'resolution');
  if (asked?.kind === 'resolution') {
    if (asked.answer !== 'resolved' && asked.answer !== 'none') return null;
    const { repository, selectedBy, observedAt } = asked;
    return { host, organization, repository, selectedBy, resolvedAt: observedAt };
  }
  const stored = previous?.resolved ?? null;
  const holds =
    stored?.host === host &&
    stored.organization === organization &&
    Date.parse(startedAt) - Date.parse(stored.resolvedAt) < RESOLUTION_LASTS_MS;
  return holds ? stored : null;
}

/** Whether the last result speaks of the same organization: of another one it says nothing. */
export function previousOfSameSubject({ input, previous }: CheckSoFar): CheckSoFar['previous'] {
  const { host = HostName.github, organization = null } = input;
  const last = previous?.result.subject;
  return last?.host === host && last.organization === organization ? previous : null;
}

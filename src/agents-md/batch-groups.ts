import type { CheckInput } from './check-input.ts';
import type { ResolvedRepository } from './check-result.ts';
import { HostName, isSameName } from './code-host.ts';
import { codeHosts } from './code-hosts.ts';
import type { Observation } from './observation.ts';

/**
 * Groups producers whose checks may make the same request: those of one organization, which share the fallback
 * repository. Groups are in the order of their first producer.
 */
export function groupsOf(producers: readonly CheckInput[]): CheckInput[][] {
  const groups = new Map<string, CheckInput[]>();
  for (const producer of producers) {
    const { producerId, host = HostName.github, organization } = producer;
    // Without an organization a check makes no request.
    const key = organization === undefined ? `producer ${producerId}` : `${host} ${organization.toLowerCase()}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [producer]);
    else group.push(producer);
  }
  return [...groups.values()];
}

/** The observations of a group that a producer's check can reuse. */
export function observationsFor(
  { host = HostName.github, primaryRepository }: CheckInput,
  observed: readonly Observation[],
  resolved: ResolvedRepository | null,
): Observation[] {
  const repository = primaryRepository ?? resolved?.repository ?? null;
  const names = [repository, codeHosts[host].fallbackRepository].filter((name) => name !== null);
  return observed.filter((seen) =>
    seen.kind === 'resolution'
      ? primaryRepository === undefined && resolved === null
      : names.some((name) => isSameName(name, seen.place.repository)),
  );
}

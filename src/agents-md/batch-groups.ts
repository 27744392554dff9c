import type { CheckInput } from './check-input.ts';
import type { ResolvedRepository } from './check-result.ts';
import { HostName, isSameName } from './code-host.ts';
import { codeHosts } from './code-hosts.ts';
import type { Observation } from './observation.ts';

/**
 * Producers whose checks may ask the same question, together; each group in the order of its first producer. All of an
 * organization may: its own repository stands in for any other. Hosts take names in any case.
 */
export function groupsOf(producers: readonly CheckInput[]): CheckInput[][] {
  const groups = new Map<string, CheckInput[]>();
  for (const producer of producers) {
    const { producerId, host = HostName.github, organization } = producer;
    // Without an organization nothing is asked, so nothing is shared.
    const key = organization === undefined ? `producer ${producerId}` : `${host} ${organization.toLowerCase()}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [producer]);
    else group.push(producer);
  }
  return [...groups.values()];
}

/** What of all that was observed in a group answers questions of this producer. */
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

import type { CheckInput } from './check-input.ts';
import type { ResolvedRepository } from './check-result.ts';
import { HostName, isSameName } from './code-host.ts';
import { codeHosts } from './code-hosts.ts';
import type { Observation } from './observation.ts';

/** The observations of an organization's checks that a producer's check can reuse. */
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

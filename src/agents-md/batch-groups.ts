import { type CheckInput } from './check-input.ts';
import { HostName } from './code-host.ts';

/**
 * Producers whose check asks the same questions, together; each group in the order of its first producer. Hosts take
 * names of organizations and repositories in any case. Without an organization nothing is asked, so nothing is shared.
 */
export function groupsOf(producers: readonly CheckInput[]): CheckInput[][] {
  const groups = new Map<string, CheckInput[]>();
  for (const producer of producers) {
    const { producerId, host = HostName.github, organization, primaryRepository } = producer;
    const key =
      organization === undefined
        ? `producer ${producerId}`
        : `${host} ${organization} ${primaryRepository ?? '(the primary one)'}`.toLowerCase();
    groups.set(key, [...(groups.get(key) ?? []), producer]);
  }
  return [...groups.values()];
}

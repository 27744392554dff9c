import type { Client } from '@temporalio/client';
import type { CheckStore } from '../../store/agents-md/check-store.ts';
import type { Producers } from '../../store/agents-md/producers.ts';
import { startProducersSweep } from './producers-schedule.ts';
import { type AgentsMdChecks, createAgentsMdChecks } from './checks.ts';

/** The catalogue of producers. */
export interface AgentsMdCatalogue {
  readonly producers: Producers;
  /** Starts the sweep, without waiting for its Schedule. */
  readonly wake: () => Promise<unknown>;
  /** Undefined: what each host allows. */
  readonly requestsPerSecond: number | undefined;
  /** Whether badges need no token. */
  readonly publicBadges: boolean;
}

export interface AgentsMd {
  readonly catalogue: AgentsMdCatalogue;
  readonly checks: AgentsMdChecks;
}

export function createAgentsMd(
  client: Client,
  {
    checks,
    uiUrl,
    ...catalogue
  }: Omit<AgentsMdCatalogue, 'wake'> & {
    readonly checks: Pick<CheckStore, 'get'>;
    readonly uiUrl: string | undefined;
  },
): AgentsMd {
  return {
    catalogue: { ...catalogue, wake: () => startProducersSweep(client) },
    checks: createAgentsMdChecks(client, { checks, uiUrl }),
  };
}

import type { Client } from '@temporalio/client';
import type { CheckStore } from '../../store/agents-md/check-store.ts';
import type { Producers } from '../../store/agents-md/sql-producers.ts';
import { startProducersSweep } from './producers-schedule.ts';
import { type AgentsMdChecks, createAgentsMdChecks } from './checks.ts';

/** The checks of AGENTS.md, and the catalogue of producers. */
export interface AgentsMd {
  readonly checks: AgentsMdChecks;
  readonly producers: Producers;
  /** Starts the sweep, without waiting for its Schedule. */
  readonly wake: () => Promise<unknown>;
  /** Undefined: what each host allows. */
  readonly requestsPerSecond: number | undefined;
  /** Whether badges need no token. */
  readonly publicBadges: boolean;
}

export function createAgentsMd(
  client: Client,
  {
    checks,
    uiUrl,
    ...catalogue
  }: Omit<AgentsMd, 'checks' | 'wake'> & {
    readonly checks: Pick<CheckStore, 'get'>;
    readonly uiUrl: string | undefined;
  },
): AgentsMd {
  return {
    ...catalogue,
    checks: createAgentsMdChecks(client, { checks, uiUrl }),
    wake: () => startProducersSweep(client),
  };
}

import type { Client } from '@temporalio/client';
import type { CheckStore } from '../../store/agents-md/check-store.ts';
import type { Producers } from '../../store/agents-md/producers.ts';
import { startProducersSweep } from './producers-schedule.ts';
import { type AgentsMdBatches, createAgentsMdBatches } from './check-batches.ts';
import { type AgentsMdChecks, createAgentsMdChecks } from './checks.ts';
import { type AgentsMdSchedules, createAgentsMdSchedules } from './check-schedules.ts';

/** The catalogue of producers. */
export interface AgentsMdCatalogue {
  readonly producers: Producers;
  /** Starts the sweep, without waiting for its Schedule. */
  readonly wake: () => Promise<void>;
  readonly requestsPerSecond: number;
}

export interface AgentsMd {
  readonly catalogue: AgentsMdCatalogue;
  readonly checks: AgentsMdChecks;
  readonly schedules: AgentsMdSchedules;
  readonly batches: AgentsMdBatches;
}

export function createAgentsMd(
  client: Client,
  {
    checks,
    producers,
    requestsPerSecond,
    uiUrl,
  }: {
    checks: Pick<CheckStore, 'get'>;
    producers: Producers;
    requestsPerSecond: number;
    uiUrl: string | undefined;
  },
): AgentsMd {
  return {
    catalogue: { producers, requestsPerSecond, wake: () => startProducersSweep(client) },
    checks: createAgentsMdChecks(client, { checks, uiUrl }),
    schedules: createAgentsMdSchedules(client, { uiUrl }),
    batches: createAgentsMdBatches(client, { uiUrl }),
  };
}

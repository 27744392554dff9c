import type { Client } from '@temporalio/client';
import type { CheckStore } from '../../store/agents-md/check-store.ts';
import { type AgentsMdBatches, createAgentsMdBatches } from './check-batches.ts';
import { type AgentsMdChecks, createAgentsMdChecks } from './checks.ts';
import { type AgentsMdSchedules, createAgentsMdSchedules } from './check-schedules.ts';

export interface AgentsMd {
  readonly checks: AgentsMdChecks;
  readonly schedules: AgentsMdSchedules;
  readonly batches: AgentsMdBatches;
}

export function createAgentsMd(
  client: Client,
  { checks, uiUrl }: { checks: Pick<CheckStore, 'get'>; uiUrl: string | undefined },
): AgentsMd {
  return {
    checks: createAgentsMdChecks(client, { checks, uiUrl }),
    schedules: createAgentsMdSchedules(client, { uiUrl }),
    batches: createAgentsMdBatches(client, { uiUrl }),
  };
}

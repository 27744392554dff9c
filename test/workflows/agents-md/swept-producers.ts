import { expect, vi } from 'vitest';
import { sweepWorkflowId } from '../../../src/agents-md/check-ids.ts';
import { type Producer, readProducer } from '../../../src/agents-md/producer.ts';
import { startProducersSweep } from '../../../src/client/agents-md/producers-schedule.ts';
import { type AgentsMdEnvironment } from '../../support/agents-md-environment.ts';

export const content = 'How to build, test and change this project. '.repeat(10);
export const named = (
  producerId: string,
  organization: string,
  primaryRepository?: string,
  more: object = {},
): Producer =>
  readProducer({
    ...{ producerId, organization, every: '1d', ...more },
    ...(primaryRepository === undefined ? {} : { primaryRepository }),
  }) as Producer;

/** Puts the producers into the table and sweeps once; resolves when the sweep of github.com has ended. */
export async function sweep({ producers, server }: AgentsMdEnvironment, list: readonly Producer[]): Promise<void> {
  const { client } = server.environment;
  await producers.put(list, { at: new Date().toISOString() });
  const root = await startProducersSweep(client);
  await root.result();
  await client.workflow.getHandle(sweepWorkflowId('github.com')).result();
}

/** Until the host has received its first request. */
export const untilAsked = ({ host }: AgentsMdEnvironment): Promise<void> =>
  vi.waitFor(() => {
    expect(host.requests).toHaveLength(1);
  }, 20_000);

export async function reasonsOf({ producers }: AgentsMdEnvironment): Promise<Record<string, string | undefined>> {
  const rows = await producers.list({}, { limit: 2_000, after: undefined });
  return Object.fromEntries(rows.map(({ producerId, latest }) => [producerId, latest?.reasonCode]));
}

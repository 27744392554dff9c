import { expect, test, vi } from 'vitest';
import { sweepWorkflowId } from '../../../src/agents-md/check-ids.ts';
import { type Producer, readProducer } from '../../../src/agents-md/producer.ts';
import { startProducersSweep } from '../../../src/client/agents-md/producers-schedule.ts';
import { type AgentsMdEnvironment, withChecks } from '../../support/agents-md-environment.ts';

const content = 'How to build, test and change this project. '.repeat(10);
const named = (producerId: string, organization: string, primaryRepository?: string, more: object = {}): Producer =>
  readProducer({
    ...{ producerId, organization, every: '1d', ...more },
    ...(primaryRepository === undefined ? {} : { primaryRepository }),
  }) as Producer;

/** Puts the producers into the table and sweeps once; resolves when the sweep of github.com has ended. */
async function sweep({ producers, server }: AgentsMdEnvironment, list: readonly Producer[]): Promise<void> {
  const { client } = server.environment;
  await producers.put(list, { at: new Date().toISOString() });
  await startProducersSweep(client);
  const handle = client.workflow.getHandle(sweepWorkflowId('github.com'));
  await vi.waitFor(() => handle.describe(), 30_000);
  await handle.result();
}

async function reasonsOf({ producers }: AgentsMdEnvironment): Promise<Record<string, string | undefined>> {
  const rows = await producers.list({}, { limit: 1_000, after: undefined });
  return Object.fromEntries(rows.map(({ producerId, latest }) => [producerId, latest?.reasonCode]));
}

test('a large sweep continues as new, and an organization across its runs is still asked once', async () => {
  await withChecks(async (environment) => {
    const { host } = environment;
    host.serve('/acme/core/HEAD/AGENTS.md', content);
    const list = Array.from({ length: 520 }, (_, at) => named(`p${String(at).padStart(3, '0')}`, 'acme', 'core'));
    await sweep(environment, list);
    expect(Object.values(await reasonsOf(environment)).filter((reason) => reason === 'content_found')).toHaveLength(
      520,
    );
    expect(host.requests).toHaveLength(1);
  });
}, 240_000);

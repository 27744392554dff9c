import { expect, test } from 'vitest';
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
  const root = await startProducersSweep(client);
  await root.result();
  await client.workflow.getHandle(sweepWorkflowId('github.com')).result();
}

async function reasonsOf({ producers }: AgentsMdEnvironment): Promise<Record<string, string | undefined>> {
  const rows = await producers.list({}, { limit: 2_000, after: undefined });
  return Object.fromEntries(rows.map(({ producerId, latest }) => [producerId, latest?.reasonCode]));
}

test('a large sweep continues as new, and asks nothing of an organization across its runs twice', async () => {
  await withChecks(async (environment) => {
    const { host } = environment;
    host.serve('/acme/core/HEAD/AGENTS.md', content);
    const list = Array.from({ length: 1_040 }, (_, at) => {
      const id = `p${String(at).padStart(4, '0')}`;
      return named(id, 'acme', at < 520 ? 'core' : id);
    });
    await sweep(environment, list);
    const reasons = Object.values(await reasonsOf(environment));
    expect(reasons.filter((reason) => reason === 'content_found')).toHaveLength(520);
    expect(reasons.filter((reason) => reason === 'file_not_found')).toHaveLength(520);
    // The file of `core`, one for each other repository, and the fallback.
    expect(host.requests).toHaveLength(522);
  });
}, 600_000);

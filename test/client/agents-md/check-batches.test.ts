import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { CheckInput } from '../../../src/agents-md/check-input.ts';
import { batchWorkflowId } from '../../../src/agents-md/check-ids.ts';
import type { BatchView } from '../../../src/client/agents-md/check-batches.ts';
import { type AgentsMdApi, agentsMdApi, startAgentsMdApi } from '../../support/agents-md-api.ts';
import { sharedDevServer } from '../../support/temporal.ts';

const content = 'How to build, test and change this project. '.repeat(10);
let api: AgentsMdApi & { stop: () => Promise<void> };

beforeAll(async () => {
  api = await startAgentsMdApi();
});

afterAll(async () => {
  await api.stop();
});

/** Of a catalogue in which most producers share two repositories. */
const catalogue = (prefix: string): CheckInput[] => [
  ...['a', 'b', 'c'].map((id) => ({
    producerId: `${prefix}-${id}`,
    organization: `${prefix}-shared`,
    primaryRepository: 'main',
  })),
  { producerId: `${prefix}-d`, organization: `${prefix}-SHARED`, primaryRepository: 'Main' },
  { producerId: `${prefix}-e`, organization: `${prefix}-own`, primaryRepository: 'main' },
  { producerId: `${prefix}-f` },
];

const put = (batchId: string, producers: readonly CheckInput[], of: AgentsMdApi = api) =>
  of.call('PUT', `/agents-md-batches/${batchId}`, { producers });

const get = async (batchId: string, after = 0, of: AgentsMdApi = api): Promise<BatchView> =>
  (await of.call('GET', `/agents-md-batches/${batchId}?after=${after}`)).json<BatchView>();

const untilEnded = (batchId: string): Promise<BatchView> =>
  vi.waitUntil(
    async () => {
      const view = await get(batchId);
      return view.outcome === 'running' ? false : view;
    },
    { timeout: 20_000, interval: 100 },
  );

test('requests a shared repository once', async () => {
  api.host.serve('/july-shared/main/HEAD/AGENTS.md', content);
  api.host.serve('/july-own/main/HEAD/AGENTS.md', 'To do.');
  const answer = await put('july', catalogue('july'));
  expect(answer.statusCode).toBe(201);
  expect(answer.json()).toMatchObject({ batchId: 'july', outcome: 'running', total: 6, done: 0, entries: [] });
  const end = await untilEnded('july');
  expect(end).toMatchObject({
    outcome: 'completed',
    total: 6,
    done: 6,
    uiUrl: expect.stringContaining('agents-md-batch%2Fjuly'),
  });
  const outcomes = Object.fromEntries(end.entries!.map(({ producerId, reasonCode }) => [producerId, reasonCode]));
  expect(outcomes).toEqual({
    'july-a': 'content_found',
    'july-b': 'content_found',
    'july-c': 'content_found',
    'july-d': 'content_found',
    'july-e': 'stub',
    'july-f': 'no_organization',
  });
  expect(api.host.asked().filter((path) => path.startsWith('/july'))).toHaveLength(2);
  expect((await get('july', 4)).entries).toEqual(end.entries!.slice(4));
  expect((await get('july', 6)).entries).toEqual([]);
});

test('joins the batch with an equal list, and refuses another list', async () => {
  const producers = catalogue('august');
  const [one, other] = await Promise.all([put('august', producers), put('august', producers)]);
  expect([one.statusCode, other.statusCode].sort()).toEqual([200, 201]);
  await untilEnded('august');
  const spelled = producers.map((producer) => ({ host: 'github.com' as const, ...producer }));
  const again = await put('august', spelled);
  expect(again.statusCode).toBe(200);
  expect(again.json()).toMatchObject({ outcome: 'completed', done: 6, runId: one.json<BatchView>().runId });
  for (const list of [producers.slice(1), [...producers].reverse(), [...producers, { producerId: 'x' }]]) {
    const answer = await put('august', list);
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ code: 'batch_differs' });
  }
});

test('starts a terminated batch again', async () => {
  api.host.serve('/september/main/HEAD/AGENTS.md', () => undefined);
  const producers = [{ producerId: 'september', organization: 'september', primaryRepository: 'main' }];
  const first = (await put('september', producers)).json<BatchView>();
  await api.server.environment.client.workflow.getHandle(batchWorkflowId('september')).terminate();
  expect(await get('september')).toMatchObject({ outcome: 'terminated', total: 1 });
  api.host.serve('/september/main/HEAD/AGENTS.md', content);
  const second = await put('september', producers);
  expect(second.statusCode).toBe(201);
  expect(second.json<BatchView>().runId).not.toBe(first.runId);
  expect(await untilEnded('september')).toMatchObject({ outcome: 'completed', done: 1 });
});

test('accepts a batch with the longest names', async () => {
  const producerId = 'p'.repeat(128);
  const producers = [{ producerId, organization: 'o'.repeat(39), primaryRepository: 'r'.repeat(100) }];
  await put('longest', producers);
  expect(await untilEnded('longest')).toMatchObject({ outcome: 'completed', done: 1 });
});

test('starts a batch without a Worker, and shows null for unknown fields', async () => {
  const server = await sharedDevServer();
  try {
    const alone = agentsMdApi({ ...api, server });
    expect((await put('early', catalogue('early'), alone)).statusCode).toBe(201);
    expect(await get('early', 0, alone)).toMatchObject({ outcome: 'running', total: 6, done: null, entries: null });
    expect((await put('early', catalogue('early'), alone)).statusCode).toBe(200);
    await alone.app.close();
  } finally {
    await server.stop();
  }
});

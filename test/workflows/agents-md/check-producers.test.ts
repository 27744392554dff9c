import { expect, test, vi } from 'vitest';
import { checkWorkflowId, sweepWorkflowId } from '../../../src/agents-md/check-ids.ts';
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
  const rows = await producers.list({}, { limit: 1_000, after: undefined });
  return Object.fromEntries(rows.map(({ producerId, latest }) => [producerId, latest?.reasonCode]));
}

test('a sweep checks what is due and asks no question of an organization twice, whatever the spelling', async () => {
  await withChecks(async (environment) => {
    const { host } = environment;
    const items = [{ name: 'core', stargazers_count: 1, fork: false, archived: false }];
    host.serve('/Acme/b/HEAD/AGENTS.md', content);
    host.serveOthers((request, response) => {
      if (request.url?.startsWith('/search/') !== true) return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ total_count: 1, items }));
    });
    await sweep(environment, [
      named('p1', 'acme', 'a'),
      named('p2', 'Acme', 'b'),
      named('p3', 'ACME', 'A'),
      named('p4', 'acme'),
      named('p5', 'acme'),
      named('p6', 'acme', 'core'),
      named('paused', 'acme', 'paused', { paused: true }),
    ]);
    const missing = 'file_not_found';
    expect(await reasonsOf(environment)).toEqual({
      ...{ p1: missing, p2: 'content_found', p3: missing, p4: missing, p5: missing, p6: missing },
      paused: undefined,
    });
    const asked = host.asked().map((path) => path.toLowerCase());
    expect(asked).toHaveLength(5);
    expect(new Set(asked).size).toBe(5);
    // Nothing is due any more.
    expect(await environment.producers.dueHosts(new Date().toISOString())).toEqual([]);
  });
});

test('checks of one organization run several at a time, and ask for its fallback once', async () => {
  await withChecks(async (environment) => {
    const { host } = environment;
    const waiting: (() => unknown)[] = [];
    let begun = 0;
    host.serveOthers((request, response) => {
      const isFound = /^\/acme\/api-[0-3]\//.test(request.url ?? '');
      const answer = (): unknown => (isFound ? response.end(content) : response.writeHead(404).end());
      begun += 1;
      // The first is alone; of the others none is answered before six wait.
      if (begun === 1) answer();
      else waiting.push(answer);
      if (begun > 6) for (const one of waiting.splice(0)) one();
    });
    await sweep(
      environment,
      Array.from({ length: 12 }, (_, at) => named(`p${at}`, 'acme', `api-${at}`)),
    );
    const reasons = Object.entries(await reasonsOf(environment)).map(([id, reason]) => [Number(id.slice(1)), reason]);
    expect(reasons.toSorted()).toEqual(
      Array.from({ length: 12 }, (_, at) => [at, at < 4 ? 'content_found' : 'file_not_found']).toSorted(),
    );
    const asked = host.asked();
    expect(asked).toHaveLength(13);
    expect(asked.filter((path) => path.startsWith('/acme/.github/'))).toHaveLength(1);
  });
});

test('a host that throttles delays only its own producers', async () => {
  await withChecks(async (environment) => {
    const { host, producers, server } = environment;
    host.serveOthers((_, response) => void response.writeHead(429, { 'retry-after': '3600' }).end());
    const others = Array.from({ length: 60 }, (_, at) => readProducer({ producerId: `p-${at}`, host: 'gitlab.com' }));
    const at = new Date().toISOString();
    await producers.put([named('throttled', 'acme', 'acme'), ...(others as Producer[])], { at });
    await startProducersSweep(server.environment.client);
    await vi.waitFor(async () => {
      const failing = await producers.list({ outcome: 'fail' }, { limit: 100, after: undefined });
      expect(failing).toHaveLength(60);
    }, 60_000);
    expect((await producers.get('throttled'))?.lastAttempt).toBeNull();
  });
});

test('a check that is terminated stops no other one, and is due again', async () => {
  await withChecks(async (environment) => {
    const { host, producers, server } = environment;
    host.serve('/acme/acme/HEAD/AGENTS.md', 503);
    const swept = sweep(environment, [named('p1', 'acme', 'acme'), named('p2', 'acme', 'acme')]);
    await vi.waitFor(() => {
      expect(host.requests).toHaveLength(1);
    }, 20_000);
    host.serve('/acme/acme/HEAD/AGENTS.md', content);
    await server.environment.client.workflow.getHandle(checkWorkflowId('p1')).terminate('by hand');
    await swept;
    expect(await reasonsOf(environment)).toEqual({ p1: undefined, p2: 'content_found' });
    expect(await producers.dueHosts(new Date().toISOString())).toEqual(['github.com']);
  });
});

test('a check that waits at a place that its producer has left ends, and the next sweep checks the new place', async () => {
  await withChecks(async (environment) => {
    const { host, producers, server } = environment;
    const { workflow } = server.environment.client;
    host.serve('/acme/old/HEAD/AGENTS.md', 503);
    host.serve('/acme/new/HEAD/AGENTS.md', content);
    const swept = expect(sweep(environment, [named('p', 'acme', 'old')])).rejects.toThrow('by hand');
    await vi.waitFor(() => {
      expect(host.requests).toHaveLength(1);
    }, 20_000);
    // Its check continues.
    await workflow.getHandle(sweepWorkflowId('github.com')).terminate('by hand');
    await swept;
    await sweep(environment, [named('p', 'acme', 'old')]);
    expect((await workflow.getHandle(checkWorkflowId('p')).describe()).status.name).toBe('RUNNING');
    await sweep(environment, [named('p', 'acme', 'new')]);
    expect(await workflow.getHandle(checkWorkflowId('p')).result()).toMatchObject({ result: null });
    expect((await producers.get('p'))?.lastAttempt).toBeNull();
    await sweep(environment, [named('p', 'acme', 'new')]);
    expect(await reasonsOf(environment)).toEqual({ p: 'content_found' });
  });
});

test('a producer that falls due while the sweep of its host runs is checked by that sweep', async () => {
  await withChecks(async (environment) => {
    const { host, producers, server } = environment;
    let answer: () => void = () => undefined;
    host.serveOthers((_, response) => {
      answer = () => void response.end(content);
    });
    const swept = sweep(environment, [named('slow', 'zzz', 'main')]);
    await vi.waitFor(() => {
      expect(host.requests).toHaveLength(1);
    }, 20_000);
    // Before the place that the sweep has reached.
    await producers.put([named('late', 'aaa', 'main')], { at: new Date().toISOString() });
    const root = await startProducersSweep(server.environment.client);
    await root.result();
    host.serve('/aaa/main/HEAD/AGENTS.md', content);
    answer();
    await swept;
    expect(await reasonsOf(environment)).toEqual({ slow: 'content_found', late: 'content_found' });
  });
});

test('a rate below one request a second is kept', async () => {
  await withChecks(
    async (environment) => {
      const arrivals: number[] = [];
      environment.host.serveOthers((_, response) => {
        arrivals.push(performance.now());
        response.end(content);
      });
      await sweep(
        environment,
        Array.from({ length: 8 }, (_, at) => named(`p${at}`, `org${at}`, 'main')),
      );
      expect(arrivals).toHaveLength(8);
      const [first = 0] = arrivals;
      // Four of them may come at once: the first of each partition of the Task Queue.
      expect((arrivals.at(-1) ?? 0) - first).toBeGreaterThan(3_500);
    },
    { requestsPerSecond: 0.5 },
  );
}, 120_000);

import { expect, test, vi } from 'vitest';
import { checkWorkflowId, sweepWorkflowId } from '../../../src/agents-md/check-ids.ts';
import { startProducersSweep } from '../../../src/client/agents-md/producers-schedule.ts';
import { type Producer, readProducer } from '../../../src/agents-md/producer.ts';
import { withChecks } from '../../support/agents-md-environment.ts';
import { content, named, reasonsOf, sweep, untilAsked } from './swept-producers.ts';

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

test('a check that waits at a place that its producer has left ends, and the next sweep checks the new place', async () => {
  await withChecks(async (environment) => {
    const { host, producers, server } = environment;
    const { workflow } = server.environment.client;
    host.serve('/acme/old/HEAD/AGENTS.md', 503);
    host.serve('/acme/new/HEAD/AGENTS.md', content);
    const swept = expect(sweep(environment, [named('p', 'acme', 'old')])).rejects.toThrow('by hand');
    await untilAsked(environment);
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

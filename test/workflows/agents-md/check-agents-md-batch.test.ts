import { describe, expect, test, vi } from 'vitest';
import { batchCheckWorkflowId, batchPartWorkflowId, batchWorkflowId } from '../../../src/agents-md/check-ids.ts';
import type { CheckInput } from '../../../src/agents-md/check-input.ts';
import type { checkAgentsMdBatch } from '../../../src/workflows/agents-md/check-agents-md-batch.ts';
import { batchProgressQuery, CHECK_TASK_QUEUE } from '../../../src/workflows/messages.ts';
import { outcomeKey } from '../../../src/workflows/search-attributes.ts';
import { type AgentsMdEnvironment, withChecks } from '../../support/agents-md-environment.ts';
import { currentDetailsOf } from '../../support/onboarding-environment.ts';

const content = 'How to build, test and change this project. '.repeat(10);
const batchId = 'b';

const startBatch = ({ server }: AgentsMdEnvironment, producers: readonly CheckInput[]) =>
  server.environment.client.workflow.start<typeof checkAgentsMdBatch>('checkAgentsMdBatch', {
    workflowId: batchWorkflowId(batchId),
    taskQueue: CHECK_TASK_QUEUE,
    args: [{ batchId, producers }],
  });

test('asks no question of an organization twice, whatever the spelling', async () => {
  await withChecks(async (environment) => {
    const { host } = environment;
    const repositories = {
      total_count: 1,
      items: [{ name: 'core', stargazers_count: 1, fork: false, archived: false }],
    };
    host.serve('/Acme/b/HEAD/AGENTS.md', content);
    const search: string[] = [];
    host.serveOthers((request, response) => {
      const path = request.url ?? '';
      if (!path.startsWith('/search/')) return void response.writeHead(404).end();
      search.push(path);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(repositories));
    });
    const named = (producerId: string, organization: string, primaryRepository: string): CheckInput => ({
      producerId,
      organization,
      primaryRepository,
    });
    const batch = await startBatch(environment, [
      named('p1', 'acme', 'a'),
      named('p2', 'Acme', 'b'),
      named('p3', 'ACME', 'A'),
      { producerId: 'p4', organization: 'acme' },
      { producerId: 'p5', organization: 'acme', host: 'github.com' },
      named('p6', 'acme', 'core'),
    ]);
    const { entries } = await batch.result();
    expect(entries.map(({ producerId, reasonCode }) => [producerId, reasonCode])).toEqual([
      ['p1', 'file_not_found'],
      ['p2', 'content_found'],
      ['p3', 'file_not_found'],
      ['p4', 'file_not_found'],
      ['p5', 'file_not_found'],
      ['p6', 'file_not_found'],
    ]);
    const { typedSearchAttributes } = await batch.describe();
    expect(typedSearchAttributes.get(outcomeKey)).toBe('fail');
    expect(await currentDetailsOf(batch)).toContain('❌ 5 fail, ✅ 1 pass');
    expect(search).toHaveLength(1);
    const files = host.asked().filter((path) => !path.startsWith('/search/'));
    expect(files.map((path) => path.toLowerCase())).toEqual([
      '/acme/a/head/agents.md',
      '/acme/.github/head/agents.md',
      '/acme/b/head/agents.md',
      '/acme/core/head/agents.md',
    ]);
  });
});

test('a throttling host delays only its own producers', async () => {
  await withChecks(async (environment) => {
    environment.host.serveOthers((_, response) => {
      response.writeHead(429, { 'retry-after': '3600' }).end();
    });
    const throttled: CheckInput = { producerId: 'throttled', organization: 'acme', primaryRepository: 'acme' };
    const others = Array.from({ length: 60 }, (_, position): CheckInput => {
      return { producerId: `p-${position}`, host: 'gitlab.com' };
    });
    const batch = await startBatch(environment, [throttled, ...others]);
    await vi.waitFor(async () => {
      expect(await batch.query(batchProgressQuery, { after: 0 })).toMatchObject({ total: 61, done: 60 });
    }, 60_000);
    await batch.terminate();
  });
});

test('a check that is terminated has no outcome, and the checks after it run', async () => {
  await withChecks(async (environment) => {
    const { host, server } = environment;
    host.serve('/acme/acme/HEAD/AGENTS.md', 503);
    const of = (producerId: string): CheckInput => ({ producerId, organization: 'acme', primaryRepository: 'acme' });
    const batch = await startBatch(environment, [of('p1'), of('p2')]);
    await vi.waitFor(() => {
      expect(host.requests).toHaveLength(1);
    }, 20_000);
    host.serve('/acme/acme/HEAD/AGENTS.md', content);
    await server.environment.client.workflow.getHandle(batchCheckWorkflowId(batchId, 'p1')).terminate('by hand');
    expect(await batch.result()).toEqual({
      done: 2,
      entries: [
        { producerId: 'p1', status: null, outcome: null, reasonCode: null },
        { producerId: 'p2', status: 'conclusive', outcome: 'pass', reasonCode: 'content_found' },
      ],
    });
  });
});

describe('a batch that is larger than one Event History holds', () => {
  const partOf = ({ server }: AgentsMdEnvironment, number: number) =>
    server.environment.client.workflow.getHandle(batchPartWorkflowId(batchId, number));
  const pendingOf = async (environment: AgentsMdEnvironment, number: number): Promise<number> =>
    (await partOf(environment, number).describe()).raw.pendingChildren?.length ?? 0;

  test('asks no question of an organization twice across its parts, and keeps its own history short', async () => {
    await withChecks(
      async (environment) => {
        const { host } = environment;
        host.serveOthers((request, response) => {
          if (request.url?.includes('/missing-') !== true) response.end(content);
          else response.writeHead(404).end();
        });
        // The last repository of the first part is the first one of the second.
        const producers = Array.from({ length: 260 }, (_, position): CheckInput => {
          const primaryRepository = position < 240 ? 'a' : position < 255 ? 'b' : `missing-${position}`;
          return { producerId: `p-${position}`, organization: position % 2 === 0 ? 'acme' : 'ACME', primaryRepository };
        });
        const batch = await startBatch(environment, producers);
        const { done, entries } = await batch.result();
        expect(done).toBe(260);
        expect(new Set(entries.map(({ producerId }) => producerId)).size).toBe(260);
        expect(entries.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
        expect(await batch.query(batchProgressQuery, { after: 255 })).toMatchObject({ total: 260, done: 260 });
        expect(host.asked().map((path) => path.toLowerCase())).toEqual([
          '/acme/a/head/agents.md',
          '/acme/b/head/agents.md',
          ...['255', '256', '257', '258', '259'].flatMap((missing, position) => [
            `/acme/missing-${missing}/head/agents.md`,
            ...(position === 0 ? ['/acme/.github/head/agents.md'] : []),
          ]),
        ]);
        const { events } = await batch.fetchHistory();
        expect(events?.length).toBeLessThan(1_000);
      },
      { requestsPerSecond: 1_000 },
    );
  }, 300_000);

  test('limits the running checks of one host, while another host continues', async () => {
    await withChecks(async (environment) => {
      environment.host.serveOthers((_, response) => {
        response.writeHead(429, { 'retry-after': '3600' }).end();
      });
      const producers = Array.from({ length: 1_100 }, (_, position): CheckInput => {
        return { producerId: `p-${position}`, organization: `o-${position}`, primaryRepository: 'main' };
      });
      const others = [1, 2, 3].map((position): CheckInput => ({ producerId: `other-${position}`, host: 'gitlab.com' }));
      const batch = await startBatch(environment, [...producers, ...others]);
      await vi.waitFor(async () => {
        const pending = await Promise.all([0, 1, 2, 3].map((number) => pendingOf(environment, number)));
        expect(pending).toEqual([50, 50, 50, 50]);
        expect(await batch.query(batchProgressQuery, { after: 0 })).toMatchObject({ done: 3 });
        // The fifth part of that host waits for room, and the other host's has ended.
        expect((await batch.describe()).raw.pendingChildren).toHaveLength(4);
      }, 100_000);
      await batch.terminate();
    });
  }, 300_000);

  test.each(['waiting for its host', 'asking its host'])(
    'is cancelled while %s, and so are its parts',
    async (doing) => {
      await withChecks(async (environment) => {
        let asked = false;
        environment.host.serveOthers((_, response) => {
          asked = true;
          if (doing === 'waiting for its host') response.writeHead(429, { 'retry-after': '3600' }).end();
          // Answered once the cancellation is under way: the attempt then ends with its own failure.
          else setTimeout(() => response.writeHead(503).end(), 800);
        });
        const producers = Array.from({ length: 251 }, (_, position): CheckInput => {
          return { producerId: `p-${position}`, organization: 'acme', primaryRepository: `r-${position}` };
        });
        const batch = await startBatch(environment, producers);
        await vi.waitFor(async () => {
          expect(await pendingOf(environment, 0)).toBe(1);
          expect(asked).toBe(true);
        }, 60_000);
        await batch.cancel();
        await expect(batch.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
        expect((await partOf(environment, 0).describe()).status.name).toBe('CANCELLED');
      });
    },
  );

  test('continues when one of its parts is terminated', async () => {
    await withChecks(async (environment) => {
      const { host } = environment;
      host.serveOthers((request, response) => {
        if (request.url?.startsWith('/stuck/') === true) response.writeHead(503).end();
        else response.end(content);
      });
      const producers = Array.from({ length: 251 }, (_, position): CheckInput => {
        return { producerId: `p-${position}`, organization: 'stuck', primaryRepository: `r-${position}` };
      });
      const batch = await startBatch(environment, [
        ...producers,
        { producerId: 'other', organization: 'acme', primaryRepository: 'acme' },
      ]);
      await vi.waitFor(async () => {
        expect(await pendingOf(environment, 0)).toBe(1);
        expect(await batch.query(batchProgressQuery, { after: 0 })).toMatchObject({ done: 1 });
      }, 60_000);
      await partOf(environment, 0).terminate('by hand');
      await vi.waitFor(async () => {
        expect(await batch.query(batchProgressQuery, { after: 0 })).toMatchObject({ done: 251 });
      }, 60_000);
      host.serveOthers((_, response) => response.end(content));
      const { entries } = await batch.result();
      expect(entries.filter(({ status }) => status === null)).toHaveLength(250);
      expect(entries).toHaveLength(252);
    });
  }, 300_000);
});

import { expect, test, vi } from 'vitest';
import { batchPartWorkflowId } from '../../../src/agents-md/check-ids.ts';
import type { CheckInput } from '../../../src/agents-md/check-input.ts';
import { batchProgressQuery } from '../../../src/workflows/messages.ts';
import { type AgentsMdEnvironment, BATCH_ID, startBatch, withChecks } from '../../support/agents-md-environment.ts';

const content = 'How to build, test and change this project. '.repeat(10);

const partOf = ({ server }: AgentsMdEnvironment, number: number) =>
  server.environment.client.workflow.getHandle(batchPartWorkflowId(BATCH_ID, number));
const pendingOf = async (environment: AgentsMdEnvironment, number: number): Promise<number> =>
  (await partOf(environment, number).describe()).raw.pendingChildren?.length ?? 0;

test('a batch that is larger than one Event History holds asks no question of an organization twice across its parts, and keeps its own history short', async () => {
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

test('a batch that is larger than one Event History holds limits the running checks of one host, while another host continues', async () => {
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
  'a batch that is larger than one Event History holds is cancelled while %s, and so are its parts',
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

test('a batch that is larger than one Event History holds continues when one of its parts is terminated', async () => {
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

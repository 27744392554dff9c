import { expect, test, vi } from 'vitest';
import { batchCheckWorkflowId } from '../../../src/agents-md/check-ids.ts';
import type { CheckInput } from '../../../src/agents-md/check-input.ts';
import { batchProgressQuery } from '../../../src/workflows/messages.ts';
import { outcomeKey } from '../../../src/workflows/search-attributes.ts';
import { BATCH_ID, startBatch, withChecks } from '../../support/agents-md-environment.ts';
import { currentDetailsOf } from '../../support/onboarding-environment.ts';

const content = 'How to build, test and change this project. '.repeat(10);
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
    await server.environment.client.workflow.getHandle(batchCheckWorkflowId(BATCH_ID, 'p1')).terminate('by hand');
    expect(await batch.result()).toEqual({
      done: 2,
      entries: [
        { producerId: 'p1', status: null, outcome: null, reasonCode: null },
        { producerId: 'p2', status: 'conclusive', outcome: 'pass', reasonCode: 'content_found' },
      ],
    });
  });
});

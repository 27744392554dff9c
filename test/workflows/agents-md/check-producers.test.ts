import { expect, test } from 'vitest';
import { checkWorkflowId } from '../../../src/agents-md/check-ids.ts';
import { startProducersSweep } from '../../../src/client/agents-md/producers-schedule.ts';
import { withChecks } from '../../support/agents-md-environment.ts';
import { content, named, reasonsOf, sweep, untilAsked } from './swept-producers.ts';

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

test('a check that is terminated stops no other one, and is due again', async () => {
  await withChecks(async (environment) => {
    const { host, producers, server } = environment;
    host.serve('/acme/acme/HEAD/AGENTS.md', 503);
    const swept = sweep(environment, [named('p1', 'acme', 'acme'), named('p2', 'acme', 'acme')]);
    await untilAsked(environment);
    host.serve('/acme/acme/HEAD/AGENTS.md', content);
    await server.environment.client.workflow.getHandle(checkWorkflowId('p1')).terminate('by hand');
    await swept;
    expect(await reasonsOf(environment)).toEqual({ p1: undefined, p2: 'content_found' });
    expect(await producers.dueHosts(new Date().toISOString())).toEqual(['github.com']);
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
    await untilAsked(environment);
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

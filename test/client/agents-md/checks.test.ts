import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { checkWorkflowId } from '../../../src/agents-md/check-ids.ts';
import { createAgentsMd } from '../../../src/client/agents-md/agents-md.ts';
import type { CheckView } from '../../../src/client/agents-md/checks.ts';
import { type AgentsMdApi, agentsMdApi, startAgentsMdApi } from '../../support/agents-md-api.ts';
import { sharedDevServer } from '../../support/temporal.ts';
import { gate } from '../../support/held-calls.ts';

const content = 'How to build, test and change this project. '.repeat(10);
const fileOf = (producerId: string): string => `/${producerId}/main/HEAD/AGENTS.md`;

let api: AgentsMdApi & { stop: () => Promise<void> };

beforeAll(async () => {
  api = await startAgentsMdApi();
});

afterAll(async () => {
  await api.stop();
});

const inputOf = (producerId: string) => ({ producerId, organization: producerId, primaryRepository: 'main' });

async function check(producerId: string, headers: Record<string, string> = { prefer: 'wait=10' }, changes = {}) {
  const answer = await api.call('POST', '/agents-md-checks', { ...inputOf(producerId), ...changes }, headers);
  return { answer, view: answer.json<CheckView>() };
}

const get = async (producerId: string): Promise<CheckView> =>
  (await api.call('GET', `/agents-md-checks/${producerId}`)).json<CheckView>();

/** Answers when the test calls `answer`. */
function held(): { listener: RequestListener; asked: Promise<void>; answer: () => void } {
  const { open: wasAsked, opened: asked } = gate();
  const { open: answer, opened: released } = gate();
  const listener: RequestListener = (_, response) => {
    wasAsked();
    void released.then(() => response.end(content));
  };
  return { listener, asked, answer };
}

const requestsOf = (producerId: string): number =>
  api.host.asked().filter((path) => path === fileOf(producerId)).length;

test('Prefer: wait=10 returns the result as soon as it exists', async () => {
  api.host.serve(fileOf('ada'), content);
  const { answer, view } = await check('ada');
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).toMatchObject({ 'preference-applied': 'wait=10', location: '/agents-md-checks/ada' });
  expect(view).toMatchObject({
    producerId: 'ada',
    running: null,
    latest: { outcome: 'pass', reasonCode: 'content_found' },
    lastConclusive: { outcome: 'pass' },
    failure: null,
    uiUrl: expect.stringMatching(`^http://ui.test/namespaces/${api.server.namespace}/workflows/agents-md%2Fada/`),
  });
  expect(await get('ada')).toEqual(view);
});

test('two concurrent callers share a run and its requests', async () => {
  const { listener, asked, answer } = held();
  api.host.serve(fileOf('both'), listener);
  const both = Promise.all([check('both'), check('both')]);
  await asked;
  const third = await check('both', {});
  expect(third.answer.statusCode).toBe(202);
  answer();
  const [one, other] = await both;
  expect([one.answer.statusCode, other.answer.statusCode]).toEqual([200, 200]);
  expect(one.view).toEqual(other.view);
  expect(one.view.latest?.outcome).toBe('pass');
  expect(requestsOf('both')).toBe(1);
  expect(one.view.uiUrl).toContain(third.view.running?.runId);
});

test('refuses another input while a check is running, and accepts it afterwards', async () => {
  const { listener, asked, answer } = held();
  api.host.serve(fileOf('moved'), listener);
  const first = check('moved');
  await asked;
  const other = await check('moved', {}, { primaryRepository: 'other' });
  expect(other.answer.statusCode).toBe(409);
  expect(other.answer.json()).toMatchObject({ code: 'check_differs', fields: ['primaryRepository'] });
  const same = await check('moved', {}, { host: 'github.com' });
  expect(same.answer.statusCode).toBe(202);
  answer();
  await first;
  api.host.serve('/moved/other/HEAD/AGENTS.md', 'To do.');
  const again = await check('moved', { prefer: 'wait=10' }, { primaryRepository: 'other' });
  expect(again.view.latest).toMatchObject({ reasonCode: 'stub' });
});

test('shows why a check is waiting', async () => {
  let throttles = true;
  api.host.serve(fileOf('busy'), (_, response) => {
    if (throttles) response.writeHead(429, { 'retry-after': '2' }).end();
    else response.end(content);
  });
  await check('busy', {});
  const view = await vi.waitUntil(
    async () => {
      const now = await get('busy');
      return now.running?.waitingFor[0]?.message == null ? false : now;
    },
    { timeout: 20_000 },
  );
  throttles = false;
  expect(view).toMatchObject({
    running: {
      workflowId: 'agents-md/busy',
      startedAt: expect.stringMatching(/Z$/),
      waitingFor: [
        {
          activity: 'fetchAgentsFile',
          message: expect.stringMatching(
            /^github\.com limits the request rate \(status 429\); retrying .* in 2 s \(requested by the host\)/,
          ),
          nextAttemptAt: expect.stringMatching(/Z$/),
        },
      ],
      details: expect.stringContaining('Requesting busy/main/AGENTS.md'),
      currentRequest: 'Requesting busy/main/AGENTS.md',
    },
    latest: null,
    failure: null,
  });
  expect((await check('busy')).view.latest?.outcome).toBe('pass');
});

test('shows the last conclusive result with an inconclusive one', async () => {
  api.host.serve(fileOf('flaky'), content);
  const { view: before } = await check('flaky');
  api.host.serve(fileOf('flaky'), (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
  });
  const { view } = await check('flaky');
  expect(view).toMatchObject({
    latest: { status: 'inconclusive', outcome: null, reasonCode: 'unexpected_content' },
    lastConclusive: before.lastConclusive,
    failure: null,
  });
  expect(view.lastConclusive).toMatchObject({ outcome: 'pass', checkedAt: before.latest?.checkedAt });
});

test('reports a terminated check until a later one has a result', async () => {
  const { listener, asked, answer } = held();
  api.host.serve(fileOf('ended'), listener);
  const waiting = check('ended');
  await asked;
  await api.server.environment.client.workflow.getHandle(checkWorkflowId('ended')).terminate('by ops');
  const { answer: ended, view } = await waiting;
  answer();
  expect(ended.statusCode).toBe(200);
  expect(view).toMatchObject({
    running: null,
    latest: null,
    failure: { message: 'The check ended without a result: terminated' },
  });
  expect(await get('ended')).toEqual(view);
  expect((await check('ended')).view).toMatchObject({ latest: { outcome: 'pass' }, failure: null });
});

test('returns 404 for an unknown producer', async () => {
  const answer = await api.call('GET', '/agents-md-checks/nobody');
  expect(answer.statusCode).toBe(404);
  expect(answer.json()).toMatchObject({ code: 'not_found', detail: expect.stringContaining('"nobody"') });
});

test('starts a check without a Worker, even with the longest names', async () => {
  const server = await sharedDevServer();
  try {
    const alone = agentsMdApi({ ...api, server });
    const producerId = 'p'.repeat(128);
    const input = { producerId, host: 'gitlab.com', organization: 'g'.repeat(255), primaryRepository: 'r'.repeat(255) };
    expect((await alone.call('POST', '/agents-md-checks', input)).statusCode).toBe(202);
    expect((await alone.call('GET', `/agents-md-checks/${producerId}`)).json()).toMatchObject({
      running: { workflowId: `agents-md/${producerId}`, waitingFor: [], details: null, currentRequest: null },
      latest: null,
      failure: null,
    });
    await alone.app.close();
  } finally {
    await server.stop();
  }
});

test('ends a wait at its time or on abort, while the check continues', async () => {
  const { listener, asked, answer } = held();
  api.host.serve(fileOf('slow'), listener);
  const { client } = api.server.environment;
  const { checks } = createAgentsMd(client, {
    checks: api.checks,
    producers: api.producers,
    requestsPerSecond: 1,
    publicBadges: false,
    uiUrl: undefined,
  });
  const { run } = await checks.start(inputOf('slow'));
  await asked;
  expect(await checks.untilEnded(run, AbortSignal.timeout(50))).toBe(false);
  const givenUp = new AbortController();
  const waiting = checks.untilEnded(run, givenUp.signal);
  givenUp.abort();
  expect(await waiting).toBe(false);
  answer();
  expect(await checks.untilEnded(run, AbortSignal.timeout(10_000))).toBe(true);
});

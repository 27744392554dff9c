import { ScheduleOverlapPolicy } from '@temporalio/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { checkScheduleId } from '../../../src/agents-md/check-ids.ts';
import type { CheckView } from '../../../src/client/agents-md/checks.ts';
import { createAgentsMdSchedules, type ScheduleView } from '../../../src/client/agents-md/check-schedules.ts';
import { producerKey } from '../../../src/workflows/search-attributes.ts';
import { type AgentsMdApi, agentsMdApi, startAgentsMdApi } from '../../support/agents-md-api.ts';
import { withChecks } from '../../support/agents-md-environment.ts';
import { sharedDevServer, type TestServer } from '../../support/temporal.ts';

const content = 'How to build, test and change this project. '.repeat(10);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let api: AgentsMdApi & { stop: () => Promise<void> };

beforeAll(async () => {
  api = await startAgentsMdApi();
});

afterAll(async () => {
  await api.stop();
});

const bodyOf = (producerId: string) => ({ organization: producerId, primaryRepository: 'main', every: '7d' });

/** Asks again when it is told to, as a backend does: Temporal describes a Schedule late on a machine that is busy. */
async function patient(
  ...[method, path, body, of = api]: [Parameters<AgentsMdApi['call']>[0], string, object?, AgentsMdApi?]
) {
  let asked = 0;
  const answer = await vi.waitUntil(
    async () => {
      asked += 1;
      const one = await of.call(method, path, body);
      return one.statusCode === 503 ? false : one;
    },
    { timeout: 30_000 },
  );
  return { answer, asked };
}

async function put(producerId: string, body: object = bodyOf(producerId), of: AgentsMdApi = api) {
  const { answer, asked } = await patient('PUT', `/agents-md-schedules/${producerId}`, body, of);
  return { status: answer.statusCode, asked, view: answer.json<ScheduleView & { changed: string[] }>() };
}

/** The first PUT may have created the Schedule before it was answered with 503. */
const statusOfCreation = ({ asked }: { asked: number }): number => (asked === 1 ? 201 : 200);

async function act(producerId: string, action: 'pause' | 'resume' | 'trigger', body?: object) {
  const { answer } = await patient('POST', `/agents-md-schedules/${producerId}/${action}`, body);
  return { status: answer.statusCode, view: answer.json<ScheduleView>() };
}

const get = async (producerId: string, of: AgentsMdApi = api): Promise<ScheduleView> =>
  (await patient('GET', `/agents-md-schedules/${producerId}`, undefined, of)).answer.json<ScheduleView>();

const check = async (producerId: string, of: AgentsMdApi = api): Promise<CheckView> =>
  (await of.call('GET', `/agents-md-checks/${producerId}`)).json<CheckView>();

const untilChecked = (producerId: string, after: string | null = null, of: AgentsMdApi = api) =>
  vi.waitUntil(
    async () => {
      const { running, latest } = await check(producerId, of);
      return running === null && latest != null && latest.checkedAt > (after ?? '') ? latest : false;
    },
    { timeout: 30_000, interval: 100 },
  );

const describe = (producerId: string) =>
  api.server.environment.client.schedule.getHandle(checkScheduleId(producerId)).describe();

test('creates a Schedule with its first run; the same PUT again changes nothing', async () => {
  api.host.serve('/ada/main/HEAD/AGENTS.md', content);
  const first = await put('ada');
  expect(first).toMatchObject({
    status: statusOfCreation(first),
    view: {
      producerId: 'ada',
      organization: 'ada',
      primaryRepository: 'main',
      host: 'github.com',
      every: '7d',
      paused: false,
      note: null,
      skippedRuns: 0,
      missedRuns: 0,
      changed: [],
      changedAt: null,
      uiUrl: `http://ui.test/namespaces/${api.server.namespace}/schedules/agents-md%2Fada`,
    },
  });
  expect(await untilChecked('ada')).toMatchObject({ outcome: 'pass' });
  const again = await put('ada', { ...bodyOf('ada'), host: 'github.com', every: '168 hours' });
  expect(again).toMatchObject({ status: 200, view: { changed: [], changedAt: null, startedRuns: 1, running: false } });
  expect(again.view.nextRunAt).toBe(first.view.nextRunAt);
  const { policies, spec, action, typedSearchAttributes } = await describe('ada');
  expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 3_600_000, pauseOnFailure: false });
  expect(spec).toMatchObject({ intervals: [{ every: 7 * DAY_MS }], jitter: 60_480_000 });
  expect(action.staticSummary).toBe('ada: github.com/ada/main');
  expect(typedSearchAttributes.get(producerKey)).toBe('ada');
});

test('reports the changed fields, keeps a Schedule paused, and checks the new subject next', async () => {
  api.host.serve('/moving/main/HEAD/AGENTS.md', content);
  api.host.serve('/moving/other/HEAD/AGENTS.md', 'To do.');
  await put('moving');
  const before = await untilChecked('moving');
  await act('moving', 'pause', { note: 'they are moving' });
  const { status, view } = await put('moving', { ...bodyOf('moving'), primaryRepository: 'other', every: '36h' });
  expect(status).toBe(200);
  expect(view).toMatchObject({
    changed: ['primaryRepository', 'every'],
    primaryRepository: 'other',
    every: '36h',
    paused: true,
    note: 'they are moving',
    nextRunAt: null,
    startedRuns: 1,
  });
  expect((await act('moving', 'trigger')).status).toBe(202);
  expect(await untilChecked('moving', before.checkedAt)).toMatchObject({ reasonCode: 'stub' });
});

test('corrects a Schedule of an older release, and makes up for a first run missing after half a minute', async () => {
  api.host.serve('/old/main/HEAD/AGENTS.md', content);
  await api.server.environment.client.schedule.create({
    scheduleId: checkScheduleId('old'),
    spec: { intervals: [{ every: 7 * DAY_MS }] },
    policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL },
    action: {
      type: 'startWorkflow',
      workflowType: 'checkAgentsMd',
      taskQueue: 'elsewhere',
      args: [{ producerId: 'old', organization: 'old', primaryRepository: 'main' }],
    },
  });
  expect(await put('old')).toMatchObject({ status: 200, view: { changed: ['policies'], startedRuns: 0 } });
  const later = createAgentsMdSchedules(api.server.environment.client, {
    uiUrl: undefined,
    now: () => Date.now() + 30_000,
  });
  const input = { producerId: 'old', organization: 'old', primaryRepository: 'main', everyMs: 7 * DAY_MS };
  const patientPut = () => vi.waitFor(() => later.put(input), { timeout: 30_000 });
  await Promise.all(Array.from({ length: 8 }, patientPut));
  expect(await untilChecked('old')).toMatchObject({ outcome: 'pass' });
  const { policies, action } = await describe('old');
  expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: HOUR_MS });
  expect(action).toMatchObject({ taskQueue: 'agents-md', workflowId: 'agents-md/old' });
  expect(await put('old')).toMatchObject({ status: 200, view: { changed: [], startedRuns: 1 } });
});

test('creates one Schedule and one run for many concurrent PUTs', async () => {
  const crowds = ['crowd-1', 'crowd-2', 'crowd-3'];
  for (const producerId of crowds) {
    api.host.serve(`/${producerId}/main/HEAD/AGENTS.md`, content);
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => [await put(producerId), await put(producerId)]),
    );
    const statuses = answers.flat().map(({ status }) => status);
    // The creating PUT may answer 503 on a slow server; repeated, it finds the Schedule it has created.
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(1);
    expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);
  }
  for (const producerId of crowds) {
    await untilChecked(producerId);
    expect(await get(producerId)).toMatchObject({ startedRuns: 1, skippedRuns: 0, running: false });
    expect(api.host.asked().filter((path) => path.startsWith(`/${producerId}/`))).toHaveLength(1);
  }
});

test("pause and resume store the caller's note", async () => {
  await put('held');
  expect(await act('held', 'pause', { note: 'asked by them' })).toMatchObject({
    status: 200,
    view: { paused: true, note: 'asked by them', nextRunAt: null },
  });
  expect(await act('held', 'pause')).toMatchObject({ status: 200, view: { paused: true, note: 'asked by them' } });
  expect(await act('held', 'pause', { note: 'still' })).toMatchObject({ view: { paused: true, note: 'still' } });
  const resumed = await act('held', 'resume');
  expect(resumed).toMatchObject({ status: 200, view: { paused: false, note: 'resumed through the HTTP API' } });
  expect(Date.parse(resumed.view.nextRunAt!)).toBeGreaterThan(Date.now());
});

test('a trigger starts a run, unless one is running', async () => {
  const answers: (() => void)[] = [];
  let holds = true;
  api.host.serve('/slow/main/HEAD/AGENTS.md', (_, response) => {
    if (holds) answers.push(() => response.end(content));
    else response.end(content);
  });
  await put('slow');
  await vi.waitUntil(() => answers.length === 1, { timeout: 10_000 });
  const asked = await check('slow');
  expect(asked.running?.workflowId).toMatch(/^agents-md\/slow-\d{4}-/);
  expect(asked.uiUrl).toContain(asked.running?.runId);
  await act('slow', 'trigger');
  const skipped = await vi.waitUntil(
    async () => {
      const view = await get('slow');
      return view.skippedRuns === 1 ? view : false;
    },
    { timeout: 30_000 },
  );
  expect(skipped).toMatchObject({ running: true, startedRuns: 1 });
  holds = false;
  for (const answer of answers) answer();
  const first = await untilChecked('slow');
  await act('slow', 'trigger');
  await untilChecked('slow', first.checkedAt);
  expect(await get('slow')).toMatchObject({ startedRuns: 2, skippedRuns: 1, running: false });
});

test("the next run requests a file with the previous run's ETag", async () => {
  api.host.serve('/calm/main/HEAD/AGENTS.md', (incoming, response) => {
    const isKnown = incoming.headers['if-none-match'] === '"v1"';
    response.writeHead(isKnown ? 304 : 200, { etag: '"v1"' }).end(isKnown ? undefined : content);
  });
  await put('calm');
  const first = await untilChecked('calm');
  await act('calm', 'trigger');
  expect(await untilChecked('calm', first.checkedAt)).toMatchObject({
    outcome: 'pass',
    evidence: { httpStatus: 304 },
    unchangedSince: first.checkedAt,
  });
});

test('deletes a Schedule but not its result; lists the others page by page', async () => {
  const own = ['list-1', 'list-2', 'list-3', 'list-4'];
  for (const producerId of own) {
    api.host.serve(`/${producerId}/main/HEAD/AGENTS.md`, content);
    await put(producerId);
    await untilChecked(producerId);
  }
  await put('list-2', { ...bodyOf('list-2'), organization: 'elsewhere' });
  expect((await patient('DELETE', '/agents-md-schedules/list-1')).answer.statusCode).toBe(204);
  expect((await patient('DELETE', '/agents-md-schedules/list-1')).answer.statusCode).toBe(404);
  expect((await patient('GET', '/agents-md-schedules/list-1')).answer.statusCode).toBe(404);
  expect((await check('list-1')).latest).toMatchObject({ outcome: 'pass' });
  // What a list knows lags behind by a moment.
  const listed = await vi.waitUntil(
    async () => {
      const views = (await everyPage(3)).filter(({ producerId }) => own.includes(producerId));
      return views.length === 3 ? views : false;
    },
    { timeout: 10_000 },
  );
  expect(listed.map(({ producerId }) => producerId).sort()).toEqual(['list-2', 'list-3', 'list-4']);
  expect(listed.find(({ producerId }) => producerId === 'list-2')).toEqual(await get('list-2'));
  const before = (await check('list-1')).latest?.checkedAt ?? '';
  const created = await put('list-1');
  expect(created.status).toBe(statusOfCreation(created));
  expect(await untilChecked('list-1', before)).toMatchObject({ outcome: 'pass' });
});

async function everyPage(limit: number): Promise<ScheduleView[]> {
  const views: ScheduleView[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = cursor === '' ? '' : `&cursor=${cursor}`;
    const { answer } = await patient('GET', `/agents-md-schedules?limit=${limit}${query}`);
    expect(answer.statusCode).toBe(200);
    const page = answer.json<{ data: ScheduleView[]; nextCursor: string | null }>();
    expect(page.data.length).toBeLessThanOrEqual(limit);
    views.push(...page.data);
    cursor = page.nextCursor;
  }
  return views;
}

test('returns 422 for an invalid cursor', async () => {
  const answer = await api.call('GET', '/agents-md-schedules?cursor=abcd');
  expect(answer.statusCode).toBe(422);
  expect(answer.json()).toMatchObject({ errors: [{ pointer: '/cursor' }] });
});

test('continues one run after a day without a Worker, and makes up for no others', async () => {
  const server = await sharedDevServer();
  await dayWithoutWorker(server).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  await withChecks(
    async (environment) => {
      const after = agentsMdApi(environment);
      environment.host.serve('/away/main/HEAD/AGENTS.md', content);
      expect(await untilChecked('away', null, after)).toMatchObject({ outcome: 'pass' });
      expect(await get('away', after)).toMatchObject({ running: false, startedRuns: 1 });
      expect(environment.host.asked()).toEqual(['/away/main/HEAD/AGENTS.md']);
      const { count } = await server.environment.client.workflow.count(
        `${producerKey.name} = "away" AND WorkflowType = "checkAgentsMd"`,
      );
      expect(count).toBe(1);
      await after.app.close();
    },
    { startServer: async () => server },
  );
});

/** A Schedule of every hour, for which nobody polls while a day passes. */
async function dayWithoutWorker(server: TestServer): Promise<void> {
  const before = agentsMdApi({ ...api, server });
  await put('away', { ...bodyOf('away'), every: '1h' }, before);
  const { client } = server.environment;
  // What was due yesterday is due now, under the Schedule's own rule for overlaps; eight hours at a time, for a server
  // takes no more than ten such runs at once.
  const dayBefore = Date.now() - DAY_MS;
  const handle = client.schedule.getHandle(checkScheduleId('away'));
  let waiting = await get('away', before);
  for (let hour = 0; hour < 24; hour += 8) {
    await handle.backfill({
      start: new Date(dayBefore + hour * HOUR_MS),
      end: new Date(dayBefore + (hour + 8) * HOUR_MS),
      overlap: ScheduleOverlapPolicy.SKIP,
    });
    waiting = await vi.waitUntil(
      async () => {
        const view = await get('away', before);
        // One whose jitter takes it past the end of its eight hours is in none of them.
        return view.skippedRuns >= (hour / 8 + 1) * 7 ? view : false;
      },
      { timeout: 20_000 },
    );
  }
  expect(waiting).toMatchObject({ running: true, startedRuns: 1, missedRuns: 0 });
  await before.app.close();
}

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkProgress } from '../../../src/agents-md/check-progress.ts';
import {
  changeSchedule,
  deleteSchedule,
  listSchedules,
  scheduleChecks,
  showProducer,
} from '../../../src/cli/agents-md/manage-schedules.ts';
import { checkView, LONG, resultFor, running, scheduleView } from './views.ts';
import { type ScriptedApi, startScriptedApi } from '../scripted-api.ts';

let api: ScriptedApi;
let out: string;
const options = { data: '/nowhere' };
const context = () => ({ environment: api.environment, write: (text: string) => (out += text) });

beforeEach(async () => {
  api = await startScriptedApi();
  out = '';
});
afterEach(() => api.stop());

const PUT = 'PUT /agents-md-schedules/acme';

describe('a Schedule', () => {
  test.each([
    [201, 'Created'],
    [200, 'Changed'],
  ])('is created or changed with its subject and period: %i', async (status, word) => {
    api.answer(PUT, { status, body: scheduleView() });
    const subject = { ...options, org: 'acme', repo: 'widgets', host: 'github.com', every: '7d' };
    expect(await scheduleChecks('acme', subject, context())).toBe(0);
    expect(api.requests[0]?.body).toEqual({
      organization: 'acme',
      primaryRepository: 'widgets',
      host: 'github.com',
      every: '7d',
    });
    expect(out).toContain(`${word}  acme: github.com/acme/widgets every 7d, active`);
    expect(out).toContain('Next run  2026-11-28T12:00:00.000Z');
  });

  test('names the option of an invalid subject, and sends no request', async () => {
    const subject = { ...options, org: 'a/b', every: '7d' };
    await expect(scheduleChecks('acme', subject, context())).rejects.toThrow('--org must be');
    expect(api.requests).toEqual([]);
  });

  test('can be paused with a note, resumed, triggered and deleted', async () => {
    api.answer('POST /agents-md-schedules/acme/pause', {
      status: 200,
      body: scheduleView({ paused: true, note: 'they moved', nextRunAt: null }),
    });
    api.answer('POST /agents-md-schedules/acme/resume', { status: 200, body: scheduleView() });
    api.answer('POST /agents-md-schedules/acme/trigger', { status: 202, body: scheduleView({ running: true }) });
    api.answer('DELETE /agents-md-schedules/acme', { status: 204 });
    expect(await changeSchedule('pause', 'acme', { ...options, note: 'they moved' }, context())).toBe(0);
    expect(out).toContain('every 7d, paused');
    expect(out).toContain('Note      they moved');
    expect(await changeSchedule('resume', 'acme', options, context())).toBe(0);
    expect(await changeSchedule('trigger', 'acme', options, context())).toBe(0);
    expect(out).toContain('active, running');
    expect(await deleteSchedule('acme', options, context())).toBe(0);
    expect(out).toContain('acme: Schedule deleted');
    expect(api.requests.map(({ body }) => body)).toEqual([{ note: 'they moved' }, undefined, undefined, undefined]);
  });

  test('fails if it does not exist', async () => {
    await expect(changeSchedule('pause', 'acme', options, context())).rejects.toMatchObject({ code: 'not_found' });
    await expect(deleteSchedule('acme', options, context())).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the list of Schedules', () => {
  beforeEach(() => {
    api.answer('GET /agents-md-schedules?limit=100', {
      status: 200,
      body: { data: [scheduleView({ producerId: 'a-long-name' })], nextCursor: 'n+1' },
    });
    api.answer('GET /agents-md-schedules?limit=100&cursor=n%2B1', {
      status: 200,
      body: { data: [scheduleView({ paused: true, nextRunAt: null, organization: null })], nextCursor: null },
    });
  });

  test('prints every page as one table', async () => {
    expect(await listSchedules(options, context())).toBe(0);
    expect(out.trimEnd().split('\n')).toEqual([
      'PRODUCER     SUBJECT                  EVERY  STATE   NEXT RUN                  LAST RUN',
      'a-long-name  github.com/acme/widgets  7d     active  2026-11-28T12:00:00.000Z  -',
      'acme         no organization          7d     paused  -                         -',
    ]);
  });

  test('--json prints one object', async () => {
    await listSchedules({ ...options, json: true }, context());
    expect((JSON.parse(out) as { data: unknown[] }).data).toHaveLength(2);
  });

  test('reports an empty list', async () => {
    api.answer('GET /agents-md-schedules?limit=100', { status: 200, body: { data: [], nextCursor: null } });
    await listSchedules(options, context());
    expect(out).toBe('No Schedules.\n');
  });
});

describe('the latest result of a producer', () => {
  const input = { producerId: 'acme', organization: 'acme' };

  test.each([
    ['pass', LONG, 0],
    ['partial', 'soon', 1],
    ['fail', undefined, 2],
    ['inconclusive', 'silent', 3],
  ] as const)('sets the exit code: %s', async (ending, content, code) => {
    api.answer('GET /agents-md-checks/acme', { status: 200, body: checkView({ latest: resultFor(input, content) }) });
    expect(await showProducer('acme', options, context())).toBe(code);
    expect(out).toContain(`acme: ${ending}`);
  });

  test('shows the last conclusive result beside an inconclusive one', async () => {
    const pass = resultFor(input, LONG).lastConclusive;
    const latest = { ...resultFor(input, 'silent'), lastConclusive: pass };
    api.answer('GET /agents-md-checks/acme', { status: 200, body: checkView({ latest, lastConclusive: pass }) });
    expect(await showProducer('acme', options, context())).toBe(3);
    expect(out).toContain('Before    pass (content_found), checked 2026-11-21T12:00:00.000Z');
  });

  test('exits with 4 without a result, and shows the running check and what it waits for', async () => {
    const attempt = { activity: 'fetchAgentsFile', attempt: 3, message: 'status 429', nextAttemptAt: null };
    const view = checkView({ running: running({ waitingFor: [attempt] }), uiUrl: 'http://ui/x' });
    api.answer('GET /agents-md-checks/acme', { status: 200, body: view });
    expect(await showProducer('acme', options, context())).toBe(4);
    expect(out).toContain('acme: not checked yet');
    expect(out).toContain('Waiting   fetchAgentsFile, attempt 3, now: status 429');
    expect(out).toContain('Temporal  http://ui/x');
  });

  test('shows the file and the time of a pending second check', async () => {
    const soFar = { input, startedAt: '2026-11-21T12:00:00.000Z', previous: null, observations: [] };
    const progress = checkProgress(soFar, {
      step: 'fetch',
      host: 'github.com',
      place: { in: 'primary', organization: 'acme', repository: 'my_widgets', path: 'AGENTS.md' },
      look: 'second',
      notBefore: '2026-11-21T12:30:00.000Z',
      stored: null,
      hopsMax: 2,
    });
    const latest = resultFor(input, LONG);
    api.answer('GET /agents-md-checks/acme', {
      status: 200,
      body: checkView({ latest, running: running(progress) }),
    });
    expect(await showProducer('acme', options, context())).toBe(0);
    expect(out).toContain('Running   agents-md/acme since 2026-11-21T12:00:00.000Z');
    expect(out).toContain(
      'Waiting   Requesting acme/my_widgets/AGENTS.md again at 2026-11-21T12:30:00.000Z, to confirm that the file is gone',
    );
    expect(out).not.toContain('no Worker');
  });

  test('reports that no Worker answers, beside a pending attempt', async () => {
    const attempt = { activity: 'fetchAgentsFile', attempt: 1, message: null, nextAttemptAt: null };
    const view = checkView({ running: running({ waitingFor: [attempt] }) });
    api.answer('GET /agents-md-checks/acme', { status: 200, body: view });
    await showProducer('acme', options, context());
    expect(out).toContain('Waiting   fetchAgentsFile, attempt 1, now: running');
    expect(out).toContain('Waiting   no Worker is answering');
  });

  test('shows no waiting for a check that has concluded', async () => {
    const soFar = { input, startedAt: '2026-11-21T12:00:00.000Z', previous: null, observations: [] };
    const progress = checkProgress(soFar, resultFor(input, undefined));
    api.answer('GET /agents-md-checks/acme', { status: 200, body: checkView({ running: running(progress) }) });
    await showProducer('acme', options, context());
    expect(out).not.toContain('Waiting');
  });
});

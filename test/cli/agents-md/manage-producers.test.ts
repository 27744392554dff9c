import { Readable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkProgress } from '../../../src/agents-md/check-progress.ts';
import type { CheckView } from '../../../src/client/agents-md/checks.ts';
import * as commands from '../../../src/cli/agents-md/manage-producers.ts';
import { firstLook } from '../../support/place-fetcher.ts';
import { type ScriptedApi, startScriptedApi } from '../scripted-api.ts';
import { checkView, LONG, producerView, resultFor, running } from './views.ts';

let api: ScriptedApi;
let out: string;
const options = { data: '/nowhere' };
const context = () => ({ environment: api.environment, write: (text: string) => (out += text) });
beforeEach(async () => {
  api = await startScriptedApi();
  out = '';
});

const PUT = 'PUT /producers/acme';

test.each([
  [201, 'Added'],
  [200, 'Changed'],
])('a producer is added or changed: %i', async (status, word) => {
  api.answer(PUT, { status, body: producerView() });
  const subject = { ...options, org: 'acme', repo: 'widgets', every: '7d', label: ['core'] };
  expect(await commands.addProducer('acme', subject, context())).toBe(0);
  const input = { organization: 'acme', primaryRepository: 'widgets', every: '7d', labels: ['core'] };
  expect(api.requests[0]?.body).toEqual(input);
  expect(out).toBe(`${word}  acme: github.com/acme/widgets every 7d, next check 2026-11-28T12:00:00.000Z\n`);
});

test('an invalid subject is named by its option, and nothing is sent', async () => {
  await expect(commands.addProducer('acme', { ...options, org: 'a/b' }, context())).rejects.toThrow('--org must be');
  expect(api.requests).toEqual([]);
});

test.each([true, false])('pausing and resuming change nothing else: %s', async (paused) => {
  api.answer('PATCH /producers/acme', { status: 200, body: producerView({ paused, nextCheckAt: null }) });
  expect(await commands.setPaused('acme', paused, options, context())).toBe(0);
  expect(api.requests.map(({ body }) => body)).toEqual([{ paused }]);
});

test('every page of the list is shown, with its conditions', async () => {
  const result = { outcome: 'fail', reasonCode: 'file_not_found' } as const;
  const latest = { ...result, message: '', checkedAt: '', outcomeSince: '' };
  const list = 'GET /producers?outcome=fail&changed_since=2026-11-01T00%3A00%3A00Z&limit=1000';
  api.answer(list, { status: 200, body: { data: [producerView({ latest })], next_cursor: 'abc' } });
  const body = { data: [producerView({ producerId: 'b', organization: null, latest })], next_cursor: null };
  api.answer(`${list}&cursor=abc`, { status: 200, body });
  const filter = { outcome: 'fail', changedSince: '2026-11-01T00:00:00Z' } as const;
  expect(await commands.listProducers({ ...options, ...filter }, context())).toBe(0);
  expect(out).toMatch(/^acme +github\.com\/acme\/widgets +7d +fail +file_not_found +2026/m);
  expect(out).toMatch(/^b +no organization/m);
});

test('a removed producer is named', async () => {
  api.answer('DELETE /producers/acme', { status: 204 });
  expect(await commands.removeProducer('acme', options, context())).toBe(0);
  expect(out).toBe('acme: removed\n');
});

test('an import says what it changes', async () => {
  const none = { count: 0, producers: [] };
  const body = { added: { count: 2, producers: ['a'] }, changed: none, removed: none, unchanged: none };
  api.answer('PUT /producers?dry_run=true&remove_missing=false', { status: 200, body });
  const stdin = Readable.from(['{"producerId":', '"a"}\n']);
  expect(await commands.importProducers('-', { ...options, dryRun: true }, { ...context(), stdin })).toBe(0);
  expect(api.requests[0]?.headers['content-type']).toBe('application/x-ndjson');
  expect(api.requests[0]?.body).toEqual({ producerId: 'a' });
  expect(out).toMatch(/^Nothing was changed\.[^]*\nadded +2 +a …\n/);
});

test('the report is printed as it is', async () => {
  api.answer('GET /producers/report?label=core&format=json', { status: 200, body: { counts: {} } });
  expect(await commands.printReport({ ...options, label: 'core', format: 'json' }, context())).toBe(0);
  expect(out).toBe('{"counts":{}}');
});

describe('the latest result of a producer', () => {
  const input = { producerId: 'acme', organization: 'acme' };
  const soFar = { input, startedAt: '2026-11-21T12:00:00.000Z', previous: null, observations: [] };
  const attempt = { activity: 'fetchAgentsFile', attempt: 3, message: 'status 429', nextAttemptAt: null };
  /** Resolves with the exit code. */
  const show = (view: Partial<CheckView>): Promise<number> => {
    api.answer('GET /agents-md-checks/acme', { status: 200, body: checkView(view) });
    return commands.showLatest('acme', options, context());
  };

  test.each([
    ['pass', LONG, 0],
    ['partial', 'soon', 1],
    ['fail', undefined, 2],
    ['inconclusive', 'silent', 3],
  ] as const)('sets the exit code: %s', async (ending, content, code) => {
    expect(await show({ latest: resultFor(input, content) })).toBe(code);
    expect(out).toContain(`acme: ${ending}`);
  });

  test('shows the last conclusive result beside an inconclusive one', async () => {
    const pass = resultFor(input, LONG).lastConclusive;
    const latest = { ...resultFor(input, 'silent'), lastConclusive: pass };
    expect(await show({ latest, lastConclusive: pass })).toBe(3);
    expect(out).toContain('Before    pass (content_found), checked 2026-11-21T12:00:00.000Z');
  });

  test('exits with 4 without a result, and shows the running check and what it waits for', async () => {
    expect(await show({ running: running({ waitingFor: [attempt] }), uiUrl: 'http://ui/x' })).toBe(4);
    expect(out).toContain('acme: not checked yet');
    expect(out).toContain('Waiting   fetchAgentsFile, attempt 3, now: status 429');
    expect(out).toContain('Temporal  http://ui/x');
  });

  test('shows the file and the time of a pending second check', async () => {
    const second = { step: 'fetch', look: 'second', notBefore: '2026-11-21T12:30:00.000Z' } as const;
    const progress = checkProgress(soFar, { ...firstLook('my_widgets'), ...second });
    expect(await show({ latest: resultFor(input, LONG), running: running(progress) })).toBe(0);
    expect(out).toContain('Running   agents-md/acme since 2026-11-21T12:00:00.000Z');
    expect(out).toContain(
      'Waiting   Requesting acme/my_widgets/AGENTS.md again at 2026-11-21T12:30:00.000Z, to confirm that the file is gone',
    );
    expect(out).not.toContain('no Worker');
  });

  test('reports that no Worker answers, beside a pending attempt', async () => {
    await show({ running: running({ waitingFor: [{ ...attempt, attempt: 1, message: null }] }) });
    expect(out).toContain('Waiting   fetchAgentsFile, attempt 1, now: running');
    expect(out).toContain('Waiting   no Worker is answering');
  });

  test('shows no waiting for a check that has concluded', async () => {
    await show({ running: running(checkProgress(soFar, resultFor(input, undefined))) });
    expect(out).not.toContain('Waiting');
  });
});

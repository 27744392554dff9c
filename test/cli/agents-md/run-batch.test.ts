import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { BatchEntry } from '../../../src/agents-md/batch.ts';
import type { CheckResult } from '../../../src/agents-md/check-result.ts';
import { runBatch, type BatchOptions } from '../../../src/cli/agents-md/run-batch.ts';
import { createAgentsMdClient } from '../../../src/cli/agents-md/agents-md-client.ts';
import { createBatchWait } from '../../../src/cli/agents-md/batch-wait.ts';
import { batchView, checkView, LONG, resultFor, running } from './views.ts';
import { type ScriptedApi, startScriptedApi } from '../scripted-api.ts';

const TODAY = '2026-11-21';
const NOW_MS = Date.parse(`${TODAY}T18:00:00Z`);
const never = new Promise<number>(() => undefined);

let api: ScriptedApi;
beforeEach(async () => {
  api = await startScriptedApi();
});
afterEach(() => api.stop());

const producers = ['acme', 'bolt', 'crag'].map((name) => ({ producerId: name, organization: name }));
const list = producers.map((producer) => JSON.stringify(producer)).join('\n');

async function batch(
  changes: Partial<BatchOptions> = {},
  {
    interrupted = never,
    stdin = list,
    clock = () => NOW_MS,
  }: { interrupted?: Promise<number>; stdin?: string; clock?: () => number } = {},
) {
  const said = { out: '', messages: '', bar: '' };
  const code = await runBatch(
    { file: '-', batch: 'b1', data: '/nowhere', ...changes },
    {
      environment: api.environment,
      stdin: Readable.from([stdin]),
      write: (text) => (said.out += text),
      writeMessage: (text) => (said.messages += text),
      progress: { write: (text) => (said.bar += text) },
      now: clock,
      interrupted,
    },
  );
  return { code, ...said };
}

const results: Record<string, CheckResult> = {
  acme: resultFor({ producerId: 'acme', organization: 'acme' }, LONG),
  bolt: resultFor({ producerId: 'bolt', organization: 'bolt' }, 'soon'),
  crag: resultFor({ producerId: 'crag', organization: 'crag' }, undefined),
  dusk: resultFor({ producerId: 'dusk', organization: 'dusk' }, 'silent'),
};

function entryOf(producerId: string): BatchEntry {
  const { status = null, outcome = null, reasonCode = null } = results[producerId] ?? {};
  return { producerId, status, outcome, reasonCode };
}

const ended: BatchEntry = { producerId: 'crag', status: null, outcome: null, reasonCode: null };
const PUT = 'PUT /agents-md-batches/b1';
const after = (count: number): string => `GET /agents-md-batches/b1?after=${count}`;

/** A batch that has finished these when it is first looked at, and is over then. */
function over(entries: readonly BatchEntry[], outcome: 'completed' | 'terminated' = 'completed'): void {
  const known = { total: 3, done: entries.length, outcome };
  api.answer(PUT, { status: 201, body: batchView({ total: 3 }) });
  api.answer(after(0), { status: 200, body: batchView({ ...known, entries }) });
  api.answer(after(entries.length), { status: 200, body: batchView(known) });
  for (const [producerId, latest] of Object.entries(results)) {
    api.answer(`GET /agents-md-checks/${producerId}`, { status: 200, body: checkView({ producerId, latest }) });
  }
}

describe('a batch', () => {
  test('starts, is followed to its end, and prints a line per producer in the order of completion', async () => {
    over([]);
    api.answer(
      after(0),
      { status: 200, body: batchView({ total: 3 }) },
      {
        status: 200,
        body: batchView({ total: 3, done: 1, entries: [entryOf('bolt')] }),
      },
    );
    api.answer(
      after(1),
      { status: 200, body: batchView({ total: 3, done: 1 }) },
      {
        status: 200,
        body: batchView({ total: 3, done: 3, outcome: 'completed', entries: [entryOf('acme'), entryOf('crag')] }),
      },
    );
    api.answer(after(3), { status: 200, body: batchView({ total: 3, done: 3, outcome: 'completed' }) });
    const { code, out, messages, bar } = await batch();
    expect(api.requests[0]).toMatchObject({ call: PUT, body: { producers } });
    expect(out.split('\n').map((line) => line.split(/ +/).slice(0, 3))).toEqual([
      ['bolt', 'partial', 'stub'],
      ['acme', 'pass', 'content_found'],
      ['crag', 'fail', 'file_not_found'],
      [''],
    ]);
    expect(out).toContain(results['bolt']?.message);
    expect(messages).toContain('Started batch b1');
    expect(messages).toContain('3 producers: 1 pass, 1 partial, 1 fail');
    expect(bar).toContain('0/3');
    expect(bar).toContain('3/3');
    expect(code).toBe(2);
  });

  test('--json prints one result per line', async () => {
    over([entryOf('acme'), entryOf('bolt')]);
    const { out } = await batch({ json: true });
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([results['acme'], results['bolt']]);
  });

  test.each([
    ['all pass', ['acme'], 0],
    ['one is a stub', ['acme', 'bolt'], 1],
    ['one fails', ['crag', 'bolt'], 2],
    ['one has no conclusive result', ['crag', 'dusk', 'acme'], 3],
  ])('exits with the highest code of its producers: %s', async (_name, names, code) => {
    over(names.map(entryOf));
    expect((await batch()).code).toBe(code);
  });

  test('uses the singular for one producer', async () => {
    over([entryOf('acme')]);
    expect((await batch()).messages).toContain('\n1 producer: 1 pass\n');
  });

  test('prints a line without a result for a terminated check, and exits with 4', async () => {
    over([entryOf('acme'), ended]);
    const { code, out, messages } = await batch();
    expect(code).toBe(4);
    expect(out).toMatch(/^crag +ended +the check was cancelled or terminated and has no result$/m);
    expect(messages).toContain('2 producers: 1 pass, 1 without a result');
    expect(api.calls()).not.toContain('GET /agents-md-checks/crag');
    over([ended]);
    expect(JSON.parse((await batch({ json: true })).out)).toEqual({
      checkId: 'agents-md',
      status: null,
      outcome: null,
      reasonCode: null,
      message: 'the check was cancelled or terminated and has no result',
      subject: { producerId: 'crag' },
    });
  });

  test('prints the outcome of the batch for a producer that was checked again, or is no longer stored', async () => {
    over([
      { ...entryOf('acme'), outcome: 'partial', reasonCode: 'stub' },
      { ...entryOf('bolt'), producerId: 'gone' },
    ]);
    const { code, out } = await batch();
    expect(code).toBe(1);
    expect(out).toMatch(/^acme +partial +stub +checked again at 2026-11-21T12:00:00.000Z: pass \(content_found\)$/m);
    expect(out).toMatch(/^gone +partial +stub +its result is no longer stored$/m);
  });

  test('prints the finished checks and fails if it was terminated', async () => {
    over([entryOf('acme')], 'terminated');
    const said: string[] = [];
    const run = runBatch(
      { file: '-', batch: 'b1', data: '/nowhere' },
      {
        environment: api.environment,
        stdin: Readable.from([list]),
        write: (text) => said.push(text),
        writeMessage: () => undefined,
        progress: { write: () => undefined },
        now: () => NOW_MS,
        interrupted: never,
      },
    );
    await expect(run).rejects.toMatchObject({ code: 'batch_terminated' });
    expect(said.join('')).toMatch(/^acme +pass/);
  });

  test('retries while the API is unavailable, and reports it once', async () => {
    over([entryOf('acme'), entryOf('bolt')]);
    for (const name of ['acme', 'bolt']) {
      api.answer(`GET /agents-md-checks/${name}`, 'hang up', {
        status: 200,
        body: checkView({ producerId: name, latest: results[name] ?? null }),
      });
    }
    const { code, messages } = await batch();
    expect(code).toBe(1);
    expect(messages.match(/Retrying for up to 2 minutes/g)).toHaveLength(1);
  });

  test('starts nothing for an invalid list', async () => {
    await expect(batch({}, { stdin: '{"producerId":"a/b"}' })).rejects.toMatchObject({ code: 'validation_failed' });
    expect(api.requests).toEqual([]);
  });

  test.each([
    [
      { status: 409, body: { code: 'batch_differs', detail: 'b1 has another list' } },
      /batch_differs: b1 has another list/,
    ],
    [
      { status: 413, body: { code: 'payload_too_large', detail: 'Expected at most 2 MB' } },
      /split it into several files/,
    ],
  ])('reports a refusal: %o', async (answer, message) => {
    api.answer(PUT, answer);
    await expect(batch()).rejects.toThrow(message);
  });
});

describe('a batch in which no check finishes', () => {
  const message = 'github.com limits the request rate (status 429); waiting 60 s (requested by the host)';
  const waits = (text: string | null) => ({
    status: 200,
    body: checkView({
      running: running({
        details: '',
        waitingFor: [{ activity: 'fetchAgentsFile', attempt: 2, message: text, nextAttemptAt: null }],
      }),
    }),
  });
  const producerIds = ['acme', 'bolt', 'crag'];
  let nowMs: number;
  beforeEach(() => {
    nowMs = NOW_MS;
  });
  const waitOf = () =>
    createBatchWait(createAgentsMdClient({ url: api.url, apiToken: 'token' }), producerIds, () => nowMs);
  const look = (name: string): string => `GET /agents-md-checks/${name}`;

  test('queries one of its checks for the reason after 15 s, at most every 10 s', async () => {
    api.answer(look('bolt'), waits(message));
    const wait = waitOf();
    nowMs += 14_999;
    expect(await wait.reason()).toBeUndefined();
    expect(api.calls()).toEqual([]);
    nowMs += 1;
    expect(await wait.reason()).toBeUndefined();
    nowMs += 9_999;
    await wait.reason();
    expect(api.calls()).toEqual([look('acme')]);
    nowMs += 1;
    expect(await wait.reason()).toBe(message);
    nowMs += 10_000;
    expect(await wait.reason()).toBe(message);
    expect(api.calls()).toEqual([look('acme'), look('bolt'), look('bolt')]);
  });

  test('sends no query once a check finishes, and none for a finished check', async () => {
    const wait = waitOf();
    nowMs += 20_000;
    wait.finished('acme');
    await wait.reason();
    expect(api.calls()).toEqual([]);
    api.answer(look('bolt'), waits(null));
    for (let queries = 0; queries < 3; queries++) {
      nowMs += 15_000;
      expect(await wait.reason()).toBeUndefined();
    }
    expect(api.calls()).toEqual([look('bolt'), look('crag'), look('bolt')]);
    producerIds.forEach((producerId) => {
      wait.finished(producerId);
    });
    nowMs += 60_000;
    expect(await wait.reason()).toBeUndefined();
    expect(api.calls()).toHaveLength(3);
  });

  test('continues while the API is unavailable', async () => {
    api.answer(look('acme'), 'hang up');
    const wait = waitOf();
    nowMs += 15_000;
    expect(await wait.reason()).toBeUndefined();
  });

  test('reports once what its checks wait for, without control characters', async () => {
    over([]);
    const open = { status: 200, body: batchView({ total: 3 }) };
    const completed = { status: 200, body: batchView({ total: 3, done: 3, outcome: 'completed' }) };
    api.answer(after(0), open, open, open, completed);
    api.answer(look('acme'), waits(`${message}\u001b[2J`));
    const clock = (): number => (nowMs += 20_000);
    const { messages } = await batch({}, { clock });
    expect(messages.split(`Waiting: ${message}\\u{1b}[2J\n`)).toHaveLength(2);
  });
});

describe('a batch that is interrupted', () => {
  test('continues, and prints the command that follows it again', async () => {
    over([entryOf('acme')]);
    api.answer(after(1), { status: 200, body: batchView({ total: 3, done: 1 }) });
    const interrupted = vi.waitFor(
      () => {
        // The second call shows that the first one's answer was taken.
        expect(api.calls().filter((call) => call === after(1)).length).toBeGreaterThan(1);
        return 130;
      },
      { timeout: 30_000 },
    );
    const { code, messages } = await batch({ file: '-', data: "/my 'data'" }, { interrupted });
    expect(code).toBe(130);
    expect(messages).toContain(
      String.raw`The batch continues. To follow it again, run: sendoff agents-md check --file - --batch b1 --data '/my '\''data'\'''`,
    );
    expect(messages).not.toContain('producers:');
  });

  test.each([
    ['completed', 'The batch has completed, but not every result was shown. To see all results, run: sendoff'],
    ['terminated', 'The batch was terminated. To start it again, run: sendoff'],
    ['cancelled', 'The batch was cancelled. To start it again, run: sendoff'],
    ['failed', 'The batch has failed. To start it again, run: sendoff'],
  ] as const)('is not reported as continuing if it has ended while no Worker answers: %s', async (outcome, words) => {
    api.answer(PUT, { status: 201, body: batchView({ total: 3 }) });
    api.answer(after(0), { status: 200, body: batchView({ total: 3, outcome, done: null, entries: null }) });
    const interrupted = vi.waitFor(
      () => {
        expect(api.calls().filter((call) => call === after(0)).length).toBeGreaterThan(1);
        return 130;
      },
      { timeout: 30_000 },
    );
    const { code, messages } = await batch({}, { interrupted });
    expect(code).toBe(130);
    expect(messages).toContain(words);
    expect(messages).not.toContain('goes on');
  });

  test('is reported as completed before the first poll', async () => {
    api.answer(PUT, {
      status: 200,
      body: batchView({ total: 3, outcome: 'completed', done: 3, entries: null }),
    });
    const { messages } = await batch({}, { interrupted: Promise.resolve(130) });
    expect(messages).not.toContain('goes on');
  });

  test('starts nothing while it waits for the list on stdin', async () => {
    const stdin = new PassThrough();
    const code = await runBatch(
      { file: '-', data: '/nowhere' },
      {
        environment: api.environment,
        stdin,
        write: () => undefined,
        writeMessage: () => undefined,
        progress: { write: () => undefined },
        now: () => NOW_MS,
        interrupted: Promise.resolve(130),
      },
    );
    stdin.end();
    expect(code).toBe(130);
    expect(api.requests).toEqual([]);
  });

  test('prints every result, from the first producer, when resumed', async () => {
    over([entryOf('acme'), entryOf('bolt')]);
    api.answer(PUT, { status: 200, body: batchView({ total: 3, done: 2, uiUrl: 'http://ui' }) });
    const { messages, out } = await batch();
    expect(messages).toContain('Resuming batch b1, http://ui');
    expect(out.trimEnd().split('\n')).toHaveLength(2);
  });
});

describe('the id of a batch', () => {
  async function idOf(content: string, nowMs = NOW_MS): Promise<string> {
    const before = api.calls().length;
    await batchWithoutId(content, nowMs).catch(() => undefined);
    const put = api
      .calls()
      .slice(before)
      .find((call) => call.startsWith('PUT'));
    return put?.replace('PUT /agents-md-batches/', '') ?? 'none';
  }
  const batchWithoutId = (content: string, nowMs: number) =>
    runBatch(
      { file: '-', data: '/nowhere' },
      {
        environment: api.environment,
        stdin: Readable.from([content]),
        write: () => undefined,
        writeMessage: () => undefined,
        progress: { write: () => undefined },
        now: () => nowMs,
        interrupted: never,
      },
    );

  test('is the same for an equal list on the same day, and differs for another list', async () => {
    const id = await idOf(list);
    expect(id).toMatch(/^2026-11-21-[0-9a-f]{16}$/);
    const spelled = list.replaceAll(',', ' , ').replaceAll('\n', '\n\n').replaceAll('}', ',"host":"github.com"}');
    expect(await idOf(spelled, NOW_MS + 3_600_000)).toBe(id);
    expect(await idOf(list.replace('bolt', 'volt'))).not.toBe(id);
    expect(await idOf(list, NOW_MS + 24 * 3_600_000)).toBe(id.replace('21', '22'));
  });

  test("is yesterday's while yesterday's batch is running", async () => {
    const yesterday = (await idOf(list)).replace('2026-11-21', '2026-11-20');
    const look = `GET /agents-md-batches/${yesterday}?after=0`;
    api.answer(look, { status: 200, body: batchView({ batchId: yesterday }) });
    expect(await idOf(list)).toBe(yesterday);
    api.answer(look, { status: 200, body: batchView({ batchId: yesterday, outcome: 'completed' }) });
    expect(await idOf(list)).not.toBe(yesterday);
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import { checkCatalogue } from '../../../src/cli/agents-md/check-catalogue.ts';
import { type ScriptedApi, startScriptedApi } from '../scripted-api.ts';

const AT = '2026-11-24T00:00:00.000Z';
const POST = 'POST /producers/check';
const GET = `GET /producers/check?asked_at=${encodeURIComponent(AT)}`;

let api: ScriptedApi;
beforeEach(async () => {
  api = await startScriptedApi();
});

const progress = (total: number, outcomes: Partial<Record<'pass' | 'partial' | 'fail' | 'inconclusive', number>>) => ({
  askedAt: AT,
  total,
  answered: Object.values(outcomes).reduce((sum, count) => sum + count, 0),
  outcomes: { pass: 0, partial: 0, fail: 0, inconclusive: 0, ...outcomes },
});

async function check(options: object = {}, interrupted = new Promise<number>(() => undefined)) {
  const seen = { out: '', messages: '', bar: '' };
  const code = await checkCatalogue(
    { data: '/nowhere', ...options },
    {
      environment: api.environment,
      write: (text) => (seen.out += text),
      writeMessage: (text) => (seen.messages += text),
      interrupted,
      progress: { write: (text) => (seen.bar += text) },
      now: Date.now,
    },
  );
  return { code, ...seen };
}

describe('the exit code is that of the worst outcome', () => {
  test.each([
    [{ pass: 2 }, 0, '2 producers: 2 pass\n'],
    [{ pass: 1, partial: 1 }, 1, '2 producers: 1 pass, 1 partial\n'],
    [{ partial: 1, fail: 1 }, 2, '2 producers: 1 partial, 1 fail\n'],
    [{ fail: 1, inconclusive: 1 }, 3, '2 producers: 1 fail, 1 inconclusive\n'],
  ])('%o: %i', async (outcomes, expected, summary) => {
    api.answer(POST, { status: 202, body: progress(2, outcomes) });
    const { code, out } = await check();
    expect([code, out]).toEqual([expected, summary]);
    expect(api.requests.map(({ body }) => body)).toEqual([{ all: true }]);
  });
});

test('follows the progress, and shows it', async () => {
  api.answer(POST, { status: 202, body: progress(2, {}) });
  api.answer(GET, { status: 200, body: progress(2, { pass: 1 }) }, { status: 200, body: progress(2, { pass: 2 }) });
  const { code, out, bar } = await check({ label: 'core', json: true });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual(progress(2, { pass: 2 }));
  expect(bar).toMatch(/^0\/2 [^]*2\/2 {2}pass 2/);
  expect(api.requests[0]?.body).toEqual({ label: 'core' });
});

test('says how many producers are no longer among those that were asked for', async () => {
  api.answer(POST, { status: 202, body: progress(5, {}) });
  api.answer(GET, { status: 200, body: progress(3, { pass: 3 }) });
  const { code, messages } = await check();
  expect([code, messages]).toEqual([0, '2 producers of 5 not counted: removed or paused meanwhile\n']);
});

test('an interruption ends with its own code, and names the command that follows the same checks', async () => {
  api.answer(POST, { status: 202, body: progress(2, {}) });
  api.answer(GET, { status: 200, body: progress(2, { pass: 1 }) });
  const { code, messages, out } = await check({}, Promise.resolve(130));
  expect([code, out]).toEqual([130, '']);
  expect(messages).toContain(`sendoff agents-md check --asked-at ${AT} --data /nowhere`);
});

test('earlier checks are followed, and none is asked for', async () => {
  api.answer(GET, { status: 200, body: progress(1, { fail: 1 }) });
  expect((await check({ askedAt: AT })).code).toBe(2);
  expect(api.calls()).toEqual([GET]);
});

test('a catalogue in which nothing is checked is an error, not a pass', async () => {
  api.answer(POST, { status: 202, body: progress(0, {}) });
  await expect(check()).rejects.toThrow(/no producer whose check was asked for/);
});

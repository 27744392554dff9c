import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkProgress } from '../../../src/agents-md/check-progress.ts';
import type { CheckInput } from '../../../src/agents-md/check-input.ts';
import type { CheckResult } from '../../../src/agents-md/check-result.ts';
import { nextStep } from '../../../src/agents-md/next-step.ts';
import type { CheckView } from '../../../src/client/agents-md/checks.ts';
import { runCheck, type CheckOptions } from '../../../src/cli/agents-md/run-check.ts';
import { checkView, LONG, resultFor, running } from './views.ts';
import { type ScriptedApi, startScriptedApi } from '../scripted-api.ts';

const input = { producerId: 'acme', organization: 'acme', primaryRepository: 'widgets' } satisfies CheckInput;
const options: CheckOptions = { producer: 'acme', org: 'acme', repo: 'widgets', data: '/nowhere' };
const never = new Promise<number>(() => undefined);

let api: ScriptedApi;
let progress: string;

beforeEach(async () => {
  api = await startScriptedApi();
  progress = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    progress += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const check = (changes: Partial<CheckOptions> = {}, interrupted = never) =>
  checkOnly({ ...options, ...changes }, interrupted);

async function checkOnly(asked: CheckOptions, interrupted = never) {
  const seen = { out: '', messages: '' };
  const code = await runCheck(asked, {
    environment: api.environment,
    write: (text) => (seen.out += text),
    writeMessage: (text) => (seen.messages += text),
    interrupted,
  });
  return { code, ...seen };
}

const POST = 'POST /agents-md-checks';
const GET = 'GET /agents-md-checks/acme';
const started = { status: 202, body: checkView({ running: running() }) };
const shown = (changes: Partial<CheckView>) => ({ status: 200, body: checkView(changes) });

/** A check that is started, and what each look at it shows then. */
function follow(...views: Parameters<ScriptedApi['answer']>[1][]): void {
  api.answer(POST, started);
  api.answer(GET, ...views);
}
const endWith = (latest: CheckResult | null, failure: { message: string } | null = null): void => {
  follow(shown({ running: running() }), shown({ latest, failure }));
};

describe('one check', () => {
  test.each([
    ['pass', 0, LONG],
    ['partial', 1, 'soon'],
    ['fail', 2, undefined],
    ['inconclusive', 3, 'silent'],
  ] as const)('%s exits with %i, and prints the reason, the remedy and the evidence', async (ending, code, content) => {
    const latest = resultFor(input, content);
    endWith(latest);
    const checked = await check();
    expect(checked.code).toBe(code);
    expect(checked.out).toContain(`acme: ${ending} (${latest.reasonCode})`);
    expect(checked.out).toContain(latest.message);
    for (const step of latest.remediation.steps) expect(checked.out).toContain(`- ${step}`);
    if (latest.evidence !== null) expect(checked.out).toContain(`Evidence  ${latest.evidence.finalUrl}`);
    expect(api.requests[0]).toMatchObject({ call: POST, authorization: 'Bearer token', body: input });
    expect(progress).toContain('Check acme: github.com/acme/widgets');
  });

  test('--json prints the result as one line', async () => {
    const latest = resultFor(input, LONG);
    endWith(latest);
    const { out } = await check({ json: true });
    expect(out.split('\n')).toHaveLength(2);
    expect(JSON.parse(out)).toEqual(latest);
  });

  test('derives the producer id from the subject without --producer', async () => {
    api.answer(POST, { status: 202, body: checkView({ latest: resultFor(input, LONG) }) });
    await checkOnly({ org: 'acme', repo: 'widgets', data: '/nowhere' });
    expect(api.requests[0]?.body).toEqual({ ...input, producerId: 'github.com_acme_widgets' });
    expect(api.calls()).toEqual([POST]);
  });

  test('checks a producer without an organization', async () => {
    const latest = resultFor({ producerId: 'acme' }, undefined);
    api.answer(POST, { status: 202, body: checkView({ latest }) });
    const { code, out } = await checkOnly({ producer: 'acme', data: '/nowhere' });
    expect(code).toBe(2);
    expect(out).toContain('acme: fail (no_organization)');
  });

  test('shows each reason for waiting once', async () => {
    const message = 'github.com limits the request rate (status 429); waiting 2 s (requested by the host)';
    const waiting = running({
      waitingFor: [{ activity: 'fetchAgentsFile', attempt: 2, message, nextAttemptAt: null }],
    });
    const latest = resultFor(input, 'soon');
    const soFar = {
      input: { ...input, primaryRepository: 'my_widgets' },
      startedAt: latest.checkedAt,
      previous: null,
      observations: [],
    };
    const asking = running(checkProgress(soFar, nextStep(soFar)));
    const concluding = running(checkProgress(soFar, latest));
    const views = [waiting, waiting, asking, concluding].map((each) => shown({ running: each }));
    follow(...views, shown({ latest }));
    await check({ repo: 'my_widgets' });
    expect(progress.split(`Attempt 1: ${message}`)).toHaveLength(2);
    expect(progress).toContain('Requesting acme/my_widgets/AGENTS.md\n');
    expect(progress).not.toContain(latest.remediation.summary);
    expect(progress).not.toContain(latest.remediation.steps.at(-1));
  });

  test('reports once, after some seconds, that no Worker answers, and not if one is only late', async () => {
    const silent = shown({ running: running() });
    const answered = shown({ running: running({ details: 'Requesting acme/widgets/AGENTS.md' }) });
    const ended = shown({ latest: resultFor(input, LONG) });
    const silence = 'No Worker is answering; the check continues when one does.';
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      follow(silent, answered, silent, ended);
      const late = check();
      await vi.waitUntil(() => api.calls().length >= 3, { timeout: 30_000 });
      vi.setSystemTime(Date.now() + 6_000);
      await late;
      expect(progress).not.toContain(silence);

      follow(silent, silent, silent, silent, ended);
      const before = api.calls().length;
      const unanswered = check();
      await vi.waitUntil(() => api.calls().length >= before + 3, { timeout: 30_000 });
      vi.setSystemTime(Date.now() + 6_000);
      await unanswered;
      expect(progress.split(silence)).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  test('does not wait for a later check of the producer', async () => {
    follow(shown({ running: running({ runId: 'run-2' }), latest: resultFor(input, LONG) }));
    expect((await check()).code).toBe(0);
  });

  test('retries while the API is briefly unavailable', async () => {
    const outage = { status: 503, body: { code: 'unavailable', detail: 'Try again' } };
    follow('hang up', outage, shown({ latest: resultFor(input, LONG) }));
    expect((await check()).code).toBe(0);
    expect(progress).toContain('Retrying for up to 2 minutes');
  });

  test('escapes control characters in a response', async () => {
    const latest = resultFor(input, LONG);
    endWith({ ...latest, message: 'evil \u001b[2J\u009b\u202e' });
    const { out } = await check();
    expect(out).toContain('evil \\u{1b}[2J\\u{9b}\\u{202e}');
    expect(out.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });

  test('fails with the reason if the check was terminated', async () => {
    endWith(resultFor(input, LONG), { message: 'The check ended without a result: terminated' });
    await expect(check()).rejects.toMatchObject({
      code: 'check_ended',
      message: expect.stringContaining('terminated') as string,
    });
  });

  test('continues when interrupted, and prints the command that shows its result', async () => {
    follow(started);
    const interrupted = vi.waitFor(
      () => {
        expect(api.calls()).toContain(GET);
        return 130;
      },
      { timeout: 30_000 },
    );
    const { code, messages, out } = await check({}, interrupted);
    expect({ code, out }).toEqual({ code: 130, out: '' });
    expect(messages).toContain(
      'The check continues. To see its result, run: sendoff agents-md show acme --data /nowhere',
    );
  });
});

describe('a check that cannot be started', () => {
  test.each([
    ['a URL instead of a name', { org: 'https://github.com/acme' }, /^--org must be .*found "https:/],
    ['an unknown host', { host: 'example.com' }, /^--host must be one of github\.com/],
    ['an id with a slash', { producer: 'a/b' }, /^the producer id must be 1 to 128/],
  ])('names the option for %s, and sends no request', async (_name, changes, message) => {
    await expect(check(changes)).rejects.toThrow(message);
    expect(api.requests).toEqual([]);
  });

  test('refuses a repository without its organization', async () => {
    const data = '/nowhere';
    const lacking = checkOnly({ producer: 'acme', repo: 'widgets', data });
    await expect(lacking).rejects.toThrow('--org is required with primaryRepository');
    await expect(checkOnly({ data })).rejects.toThrow('Nothing to check: give --org, --producer, --label or --all');
  });

  test.each([
    [409, 'check_differs', 'A check of acme runs with another input; it differs in organization'],
    [503, 'agents_md_off', 'Nothing is checked: set AGENTS_MD_CONTACT'],
  ])('prints the code and the detail of a %i', async (status, code, detail) => {
    api.answer(POST, { status, body: { code, detail } });
    await expect(check()).rejects.toMatchObject({ code, message: `${code}: ${detail}` });
  });

  test('names the URL of an API that cannot be reached', async () => {
    await api.stop();
    await expect(check()).rejects.toMatchObject({ code: 'api_unreachable' });
  });
});

import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { OnboardingView } from '../../../src/client/onboarding/onboarding-view.ts';
import { cancel, onboard, type OnboardOptions, restart } from '../../../src/cli/onboarding/run-onboarding.ts';
import { waitingView } from './views.ts';
import { type ScriptedApi, startScriptedApi } from '../scripted-api.ts';
import { packagedCommand } from '../../support/packaged-command.ts';

const bin = await packagedCommand();

let api: ScriptedApi;
let out: string;
let progress: string;
beforeEach(async () => {
  api = await startScriptedApi();
  out = '';
  progress = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((out += String(text)), true));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((progress += String(text)), true));
});
afterEach(() => {
  vi.restoreAllMocks();
});

const options: OnboardOptions = {
  tenant: 'acme',
  domain: 'acme.test',
  from: 'hello@acme.test',
  to: 'ada@inbox.test',
  subject: 'Welcome',
  body: 'It works.',
  follow: false,
  json: true,
  data: '/nonexistent',
};
const PUT = 'PUT /onboardings/acme';
const GET = 'GET /onboardings/acme';
const CANCEL = 'POST /onboardings/acme/cancel';

const running = waitingView();
const onboarded: OnboardingView = { ...running, outcome: 'onboarded' };
const ok = (body: OnboardingView) => ({ status: 200, body });

test('onboard sends PUT, and with --restart the request that replaces a finished onboarding', async () => {
  api.answer(PUT, ok(running));
  api.answer('POST /onboardings/acme/restart', { status: 201, body: running });
  expect(await onboard(options, api.environment)).toBe(0);
  expect(await onboard({ ...options, restart: true }, api.environment)).toBe(0);
  expect(api.calls()).toEqual([PUT, 'POST /onboardings/acme/restart']);
  const [put, restart] = api.requests;
  expect(restart?.body).toEqual(put?.body);
});

test('onboard --restart says who restarts', async () => {
  api.answer('POST /onboardings/acme/restart', { status: 201, body: running });
  const words = Object.entries({
    tenant: 'acme',
    domain: 'acme.test',
    from: 'a@acme.test',
    to: 'ada@inbox.test',
    subject: 'Hi',
    body: 'Hello.',
  });
  const run = async (...args: string[]): Promise<unknown> => {
    const all = [
      'onboard',
      ...words.flatMap(([name, value]) => [`--${name}`, value]),
      '--restart',
      '--no-follow',
      ...args,
    ];
    await promisify(execFile)(process.execPath, [bin, ...all], { env: { ...process.env, ...api.environment } });
    return (api.requests.at(-1)?.body as { by?: string }).by;
  };
  expect(await run('--by', 'ada')).toBe('ada');
  expect(await run()).toBe(userInfo().username);
});

test("restart keeps the sender's display name unless it is given another sender", async () => {
  const RESTART = 'POST /onboardings/acme/restart';
  const { onboarding } = running;
  api.answer(GET, ok({ ...onboarded, onboarding: { ...onboarding, fromName: 'Acme' } }));
  api.answer(RESTART, { status: 201, body: running });
  const again = { subject: 'Hi', body: 'Hello.', by: 'ada', follow: false, json: true, data: '/nonexistent' };
  expect(await restart('acme', again, api.environment)).toBe(0);
  expect(await restart('acme', { ...again, from: 'a@acme.test' }, api.environment)).toBe(0);
  expect(await restart('acme', { ...again, from: '"B, C" <a@acme.test>' }, api.environment)).toBe(0);
  const sent = api.requests.filter(({ call }) => call === RESTART).map(({ body }) => body as Record<string, unknown>);
  expect(sent.map(({ fromAddress, fromName }) => [fromAddress, fromName])).toEqual([
    [onboarding.fromAddress, 'Acme'],
    ['a@acme.test', undefined],
    ['a@acme.test', 'B, C'],
  ]);
});

describe('following an onboarding', () => {
  const follow = (interrupted = new Promise<number>(() => undefined)) =>
    onboard({ ...options, follow: true }, api.environment, () => interrupted);

  test('survives an outage of the API and one of Temporal, and reports each once', async () => {
    api.answer(PUT, ok(running));
    const temporalAway = { status: 503, body: { code: 'unavailable', detail: 'Try again' } };
    api.answer(GET, ok(running), 'hang up', 'hang up', ok(running), temporalAway, ok(onboarded));
    expect(await follow()).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ outcome: 'onboarded' });
    expect(progress.match(/Cannot reach/g)).toHaveLength(1);
    expect(progress.match(/unavailable/g)).toHaveLength(1);
  });

  test('ends with the error of an API that refuses the request', async () => {
    api.answer(PUT, ok(running));
    api.answer(GET, { status: 401, body: { code: 'unauthorized', detail: 'Wrong token' } });
    await expect(follow()).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test.each([
    ['a step', null],
    ['the undo', { type: 'ProviderRejected', exit: null, message: 'refused' } as const],
  ])('reports that no Worker answers after some seconds of %s, once', async (_when, badEnd) => {
    const followed = { ...running, onboarding: { ...running.onboarding, badEnd } };
    api.answer(PUT, ok(followed));
    const silent = ok({ ...followed, temporal: { ...running.temporal, workers: 'none' } });
    api.answer(GET, silent, silent, silent, silent, ok(onboarded));
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const ended = follow();
      await vi.waitUntil(() => api.calls().length >= 3, { timeout: 30_000 });
      vi.setSystemTime(Date.now() + 6_000);
      expect(await ended).toBe(0);
    } finally {
      vi.useRealTimers();
    }
    expect(progress.match(/No Worker is answering; the onboarding continues when one does\./g)).toHaveLength(1);
  });

  test('stops at an interruption with its exit code, and prints how to see the onboarding', async () => {
    api.answer(PUT, ok(running));
    api.answer(GET, ok(running));
    const interrupted = vi.waitFor(
      () => {
        expect(api.calls()).toContain(GET);
        return 130;
      },
      { timeout: 30_000 },
    );
    expect(await follow(interrupted)).toBe(130);
    expect(out).toBe('');
    expect(progress).toContain('The onboarding continues. Show it with: sendoff status acme --data /nonexistent');
  });
});

describe('cancel', () => {
  test('waits for the end of the undo, also through an outage', async () => {
    api.answer(CANCEL, ok(running));
    api.answer(GET, ok(running), 'hang up', ok({ ...running, outcome: 'cancelled' }));
    expect(await cancel('acme', options, api.environment)).toBe(0);
    expect(progress).toContain('Cannot reach');
  });

  test('returns 1 for an onboarding that ended otherwise before', async () => {
    api.answer(CANCEL, ok(onboarded));
    expect(await cancel('acme', options, api.environment)).toBe(1);
  });
});

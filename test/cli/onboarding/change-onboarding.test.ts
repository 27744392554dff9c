import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { checkAll, checkNow } from '../../../src/cli/onboarding/check-now.ts';
import { claimApiKey } from '../../../src/cli/onboarding/claim-api-key.ts';
import { extendWindow, muteRecord, unmuteRecord } from '../../../src/cli/onboarding/change-onboarding.ts';
import { type ScriptedApi, startScriptedApi } from '../scripted-api.ts';
import { AT, DEADLINE, mistake, spf, waitingView, watchView } from './views.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let api: ScriptedApi;
let out: string;
let messages: string;
const options = { by: 'ada', data: '/nowhere' };
const context = () => ({
  environment: api.environment,
  write: (text: string) => void (out += text),
  writeMessage: (text: string) => (messages += text),
});
beforeEach(async () => {
  api = await startScriptedApi();
  out = '';
  messages = '';
});

const report = (verified: boolean) => ({
  status: 200,
  body: { verified, published: false, conclusive: true, records: [spf], lastObservedAt: AT },
});
const checkOf = (tenantId: string): string => `POST /onboardings/${tenantId}/check-now`;

describe('check-now', () => {
  test.each([
    [true, 0, `acme: verified, checked at ${AT}`],
    [false, 20, `acme: not verified yet, checked at ${AT}`],
  ])('verified %s: exits with %i', async (verified, code, text) => {
    api.answer(checkOf('acme'), report(verified));
    expect(await checkNow('acme', options, context())).toBe(code);
    expect(out).toContain(text);
    expect(out).toContain('last seen: missing');
    expect(api.requests[0]?.body).toEqual({ by: 'ada' });
  });

  const begun = {
    status: 202,
    body: { tenantId: 'acme', check: 'begun', checkedAt: AT, detail: 'It goes on: sendoff status acme' },
  };

  test('a check that has begun and has no result yet: exits with 21 and says what shows it', async () => {
    api.answer(checkOf('acme'), begun);
    expect(await checkNow('acme', options, context())).toBe(21);
    expect(out).toBe('acme: It goes on: sendoff status acme\n');
    out = '';
    await checkNow('acme', { ...options, json: true }, context());
    expect(JSON.parse(out)).toEqual(begun.body);
  });

  test('--all counts checks without a result yet, and exits with 21', async () => {
    api.answer(PAGE, page(['t1', 't2'], null));
    api.answer(checkOf('t1'), report(true));
    api.answer(checkOf('t2'), begun);
    expect(await checkAll({ ...options, all: true }, context())).toBe(21);
    expect(out).toContain('t2 (t2.test): begun, no result yet');
    expect(out).toMatch(/begun +1\n/);
  });

  const PAGE = 'GET /onboardings?stage=awaitingDomain&outcome=running&limit=100';
  const page = (ids: readonly string[], next_cursor: string | null) => ({
    status: 200,
    body: { data: ids.map((tenantId) => waitingView({ tenantId, domain: `${tenantId}.test` })), next_cursor },
  });

  test('--all checks every waiting tenant of all pages, ten per second, and counts what was not carried out', async () => {
    api.answer(PAGE, page(['t1', 't2', 't3', 't4'], 'next'));
    api.answer(`${PAGE}&cursor=next`, page(['t5'], null));
    for (const id of ['t1', 't2', 't3', 't4']) api.answer(checkOf(id), report(id === 't1'));
    api.answer(checkOf('t5'), { status: 504, body: { code: 'no_worker_answered', detail: 'No Worker answered.' } });
    const startedAt = performance.now();
    expect(await checkAll({ ...options, all: true, json: true }, context())).toBe(1);
    expect(performance.now() - startedAt).toBeGreaterThan(450);
    expect(JSON.parse(out)).toMatchObject({
      ...{ checked: 5, verified: 1, notVerified: 3, failed: 1 },
      results: expect.arrayContaining([
        { tenantId: 't1', domain: 't1.test', verified: true, error: null },
        {
          tenantId: 't5',
          domain: 't5.test',
          verified: null,
          error: { code: 'no_worker_answered', message: 'no_worker_answered: No Worker answered.' },
        },
      ]),
    });
  });

  test('--all leaves out whoever no longer waits when its turn comes, and reports any other refusal', async () => {
    const refused = { status: 409, body: { code: 'update_refused', detail: 'The onboarding has ended.' } };
    api.answer(PAGE, page(['ended', 'waiting'], null));
    api.answer(checkOf('ended'), refused);
    api.answer(checkOf('waiting'), refused);
    api.answer('GET /onboardings/ended', { status: 200, body: waitingView({ stage: 'done' }) });
    api.answer('GET /onboardings/waiting', { status: 200, body: waitingView() });
    expect(await checkAll({ ...options, all: true, json: true }, context())).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ checked: 1, failed: 1, results: [{ tenantId: 'waiting' }] });
  });
});

test('extend sends who asks and why, and prints the new deadline', async () => {
  api.answer('POST /onboardings/acme/extend', { status: 200, body: { tenantId: 'acme', deadline: DEADLINE } });
  expect(await extendWindow('acme', { ...options, hours: 48, reason: 'on holiday' }, context())).toBe(0);
  expect(out).toBe(`acme: the verification window closes at ${DEADLINE}\n`);
  expect(api.requests[0]?.body).toEqual({ hours: 48, by: 'ada', reason: 'on holiday' });
});

test('each extend has an Idempotency-Key of its own, so that two of the same hours are two', async () => {
  api.answer('POST /onboardings/acme/extend', { status: 200, body: { tenantId: 'acme', deadline: DEADLINE } });
  for (let n = 0; n < 2; n += 1) await extendWindow('acme', { ...options, hours: 24, reason: 'slow' }, context());
  const keys = api.requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
  expect(new Set(keys).size).toBe(2);
});

describe('mute and unmute', () => {
  const MUTED = '/onboardings/acme/muted-records/spf';
  const why = { reason: 'Moved to another provider', by: 'ada' };
  const muted = watchView({ muted: [{ purpose: 'spf', ...why, at: AT }] });

  test('mute sends the reason and who asks, and prints the state of the domain', async () => {
    api.answer(`PUT ${MUTED}`, { status: 200, body: muted });
    expect(await muteRecord('acme', 'spf', { ...options, reason: why.reason }, context())).toBe(0);
    expect(api.requests[0]?.body).toEqual(why);
    expect(out.split('\n')).toEqual([
      'acme: spf is muted',
      `  domain       ok since ${AT}, checked at ${AT}, next at ${DEADLINE}`,
      `  muted        spf, by ada at ${AT}: Moved to another provider`,
      '',
    ]);
  });

  test('mute prints which mistakes keep a domain drifted', async () => {
    const other = { ...mistake, purpose: 'dkim' };
    api.answer(`PUT ${MUTED}`, { status: 200, body: { ...muted, state: 'drifted', findings: [other] } });
    await muteRecord('acme', 'spf', { ...options, reason: why.reason }, context());
    expect(out).toContain(`  domain       drifted since ${AT}`);
    expect(out).toContain('      host_doubled at bounce.acme.test.acme.test (dkim)\n        Enter the host bounce');
  });

  test('unmute sends who asks; --json prints the state of the domain on one line', async () => {
    api.answer(`DELETE ${MUTED}?by=ada`, { status: 200, body: watchView() });
    expect(await unmuteRecord('acme', 'spf', { ...options, json: true }, context())).toBe(0);
    expect(JSON.parse(out)).toEqual({ tenantId: 'acme', ...watchView() });
    expect(out.trimEnd().split('\n')).toHaveLength(1);
  });

  test('the message of the API names the purposes that can be muted', async () => {
    const detail = 'The domain has no required record "mx". Its required records: dkim, spf.';
    api.answer('PUT /onboardings/acme/muted-records/mx', { status: 404, body: { code: 'not_found', detail } });
    await expect(muteRecord('acme', 'mx', { ...options, reason: why.reason }, context())).rejects.toThrow(detail);
    expect(out).toBe('');
  });
});

describe('claim', () => {
  const CLAIM = 'POST /onboardings/acme/api-key/claim';
  const TOKEN = 'so_live_of-acme';
  const claimed = {
    status: 200,
    body: { tenantId: 'acme', keyId: 'key_1', token: TOKEN, claimedAt: AT, claimedBy: 'ada' },
  };
  const taken = { status: 409, body: { code: 'api_key_claimed', detail: `was claimed at ${AT} by bob` } };
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  test('prints only the token to stdout, and never to stderr', async () => {
    api.answer(CLAIM, claimed);
    expect(await claimApiKey('acme', options, context())).toBe(0);
    expect(out).toBe(`${TOKEN}\n`);
    expect(messages).toBe('Claimed key_1 of acme for ada. sendoff has forgotten the token.\n');
    expect(api.requests[0]?.body).toEqual({ by: 'ada' });
  });

  test('names the key to revoke if the token cannot be written', async () => {
    api.answer(CLAIM, claimed);
    const write = () => Promise.reject(new Error('ENOSPC'));
    await expect(claimApiKey('acme', options, { ...context(), write })).rejects.toMatchObject({
      code: 'token_lost',
      message: 'The token could not be written and is lost: revoke key_1 at the provider',
    });
    expect(messages).not.toContain(TOKEN);
  });

  test('writes the token to a file that only its owner can read, and nowhere else', async () => {
    api.answer(CLAIM, claimed);
    const keyFile = join(folder, 'acme.key');
    expect(await claimApiKey('acme', { ...options, keyFile, json: true }, context())).toBe(0);
    expect(readFileSync(keyFile, 'utf8')).toBe(`${TOKEN}\n`);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(JSON.parse(out)).toEqual({ tenantId: 'acme', keyId: 'key_1', claimedAt: AT, claimedBy: 'ada', keyFile });
    expect(out + messages).not.toContain(TOKEN);
  });

  test('claims nothing if the file cannot be created, and leaves no file if the claim is refused', async () => {
    const keyFile = join(folder, 'acme.key');
    writeFileSync(keyFile, 'earlier');
    await expect(claimApiKey('acme', { ...options, keyFile }, context())).rejects.toThrow('it exists already');
    expect(api.requests).toEqual([]);
    api.answer(CLAIM, taken);
    const other = join(folder, 'other.key');
    await expect(claimApiKey('acme', { ...options, keyFile: other }, context())).rejects.toMatchObject({
      code: 'api_key_claimed',
    });
    expect(existsSync(other)).toBe(false);
    expect(readFileSync(keyFile, 'utf8')).toBe('earlier');
  });

  test('repeats a claim whose answer was lost, with the same Idempotency-Key', async () => {
    api.answer(CLAIM, 'hang up', claimed);
    expect(await claimApiKey('acme', options, context())).toBe(0);
    expect(out).toBe(`${TOKEN}\n`);
    const keys = api.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[\da-f-]{36}$/);
  });

  test('stops while the server still repeats the answer, and names the key to revoke if the token is lost', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      api.answer(CLAIM, 'hang up', 'hang up', claimed);
      const view = waitingView();
      api.answer('GET /onboardings/acme', {
        status: 200,
        body: { ...view, apiKey: { ...view.apiKey, keyId: 'key_1' } },
      });
      const claim = claimApiKey('acme', options, context());
      const refused = expect(claim).rejects.toMatchObject({
        code: 'api_unreachable',
        message: expect.stringContaining('revoke key_1 at the provider') as string,
      });
      await vi.waitUntil(() => messages.includes('Retrying for up to 1 minute'), { timeout: 30_000 });
      vi.setSystemTime(Date.now() + 60_000);
      await refused;
      expect(out).toBe('');
    } finally {
      vi.useRealTimers();
    }
  });

  test('names the key to revoke if a repeated claim finds the token handed out', async () => {
    api.answer(CLAIM, 'hang up', taken);
    await expect(claimApiKey('acme', options, context())).rejects.toMatchObject({
      code: 'api_key_claimed',
      message: expect.stringContaining('revoke the key that `sendoff status acme` shows') as string,
    });
  });
});

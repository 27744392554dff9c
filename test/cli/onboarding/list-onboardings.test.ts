import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listOnboardings, type ListOptions } from '../../../src/cli/onboarding/list-onboardings.ts';
import type { OnboardingView } from '../../../src/client/onboarding/onboarding-view.ts';
import type { Onboarding } from '../../../src/onboarding/onboarding.ts';
import { startScriptedApi } from '../scripted-api.ts';
import { AT, DEADLINE as LATER, spf, waitingView, watchView } from './views.ts';
import { packagedCommand } from '../../support/packaged-command.ts';
import { recordWaiting, type RegisterApi, startRegisterApi } from '../../support/register-api.ts';

const bin = await packagedCommand();
const TENANTS = 200;
const mistaken = ['t017', 't105', 't199'];
const idOf = (number: number): string => `t${String(number).padStart(3, '0')}`;

// One register of 200 tenants for all tests, which only read it.
let api: RegisterApi;
beforeAll(async () => {
  api = await startRegisterApi();
  for (let number = 0; number < TENANTS; number++) {
    const tenantId = idOf(number);
    const name = `bounce.${tenantId}.test.${tenantId}.test`;
    const doubled = { findings: [{ code: 'host_doubled', name, fix: 'Enter the host bounce' }] };
    await recordWaiting(api, tenantId, mistaken.includes(tenantId) ? doubled : {});
  }
});
afterAll(() => api.end());

async function list(options: Partial<ListOptions>, { environment }: Pick<RegisterApi, 'environment'> = api) {
  let out = '';
  let messages = '';
  const code = await listOnboardings(
    { data: '/nowhere', ...options },
    {
      environment,
      write: (text) => (out += text),
      writeMessage: (text) => (messages += text),
    },
  );
  const tenants = (): string[] => (JSON.parse(out) as { data: OnboardingView[] }).data.map(({ tenantId }) => tenantId);
  return { code, out, messages, tenants };
}

/** The row of the table that shows this onboarding. @param query that the options send */
async function rowOf(view: OnboardingView, options: Partial<ListOptions> = {}, query = ''): Promise<string> {
  const scripted = await startScriptedApi();
  scripted.answer(`GET /onboardings${query}`, { status: 200, body: { data: [view], next_cursor: null } });
  const { out } = await list(options, scripted);
  return out.split('\n')[1] ?? '';
}

test('one command finds the three of 200 waiting tenants whose DNS has a mistake', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [bin, 'list', '--needs-attention'], {
    env: { ...process.env, ...api.environment },
  });
  const [header = '', ...rows] = stdout.trimEnd().split('\n');
  expect(header.split(/\s+/)).toEqual(['TENANT', 'DOMAIN', 'STAGE', 'SINCE', 'DEADLINE', 'FINDINGS']);
  expect(rows.map((row) => row.split(/\s+/, 1)[0]).sort()).toEqual(mistaken);
  for (const row of rows) expect(row).toMatch(/awaitingDomain .*Z {2}host_doubled@bounce\.t\d+\.test\.t\d+\.test$/);
  // Temporal is stopped, and the list says so.
  expect(stderr).toContain('! Temporal does not answer. This is what was recorded');
});

test('each filter of the API is an option', async () => {
  expect((await list({ finding: 'host_doubled', json: true })).tenants().sort()).toEqual(mistaken);
  expect((await list({ search: 'T105', json: true })).tenants()).toEqual(['t105']);
  expect((await list({ stage: 'issuingKey', json: true })).tenants()).toEqual([]);
  expect((await list({ outcome: 'failed', exit: 'F1', json: true })).tenants()).toEqual([]);
  expect((await list({ waitingLongerThan: '1h', json: true })).tenants()).toEqual([]);
  await expect(list({ waitingLongerThan: 'a while' })).rejects.toThrow('waiting_longer_than must be a duration');
});

test('--json prints one page with its cursor, and with --all every onboarding once', async () => {
  const first = await list({ json: true, limit: 2 });
  expect(first.tenants()).toEqual(['t199', 't198']);
  const { next_cursor: cursor } = JSON.parse(first.out) as { next_cursor: string };
  expect((await list({ json: true, limit: 2, cursor })).tenants()).toEqual(['t197', 't196']);
  const all = await list({ json: true, all: true });
  expect(JSON.parse(all.out)).toMatchObject({ next_cursor: null });
  expect(all.tenants().sort()).toEqual(Array.from({ length: TENANTS }, (_, number) => idOf(number)));
});

test('a page without --limit has 50 onboardings, as --help and the API say', async () => {
  expect((await list({ json: true })).tenants()).toHaveLength(50);
});

test('the warning about Workers is that of the running onboardings, of which the latest write counts', async () => {
  const scripted = await startScriptedApi();
  const temporal = { reachable: true, workers: 'none', checkedAt: AT } as const;
  const data = [
    waitingView({ outcome: 'onboarded', endedAt: AT, ageSeconds: 1, temporal }),
    waitingView({ ageSeconds: 3 * 3_600, temporal }),
    waitingView({ ageSeconds: 60, temporal }),
  ];
  scripted.answer('GET /onboardings', { status: 200, body: { data, next_cursor: null } });
  const { messages } = await list({}, scripted);
  await scripted.stop();
  expect(messages).toContain('No Worker is running, so nothing proceeds. This is what was recorded 1 minute ago.');
});

test('the table says that there are more, and that nothing meets the conditions', async () => {
  expect((await list({ limit: 1 })).messages).toMatch(/There are more: add --all, or --cursor \S+\n$/);
  expect(await list({ search: 'nowhere' })).toMatchObject({
    code: 0,
    out: 'No onboarding meets these conditions.\n',
    messages: '',
  });
});

describe('the table names the cause', () => {
  const failed = (type: string, exit: 'F1' | 'F2' | 'F3', details: object = {}): Partial<OnboardingView> => ({
    ...{ outcome: 'failed', exit, endedAt: AT },
    failure: { type, message: 'm', details: { stage: 'awaitingDomain', exit, undo: [], ...details } } as never,
  });
  const badEnd = { type: 'Cancelled', exit: null, message: 'Cancelled in stage awaitingDomain' } as const;
  const silent = { code: 'server_failure', name: 'acme.test', fix: 'Wait' };
  const stuck = { activity: 'createSender', attempt: 7, message: 'no answer', nextAttemptAt: null };
  test.each([
    ['of F1', failed('DomainVerificationTimedOut', 'F1'), {}, 'DomainVerificationTimedOut not_there@acme.test'],
    ['of F2', failed('DomainNotVerified', 'F2'), {}, 'DomainNotVerified'],
    ['of F3', failed('EmailBounced', 'F3', { category: 'recipient' }), {}, 'EmailBounced recipient'],
    ['of a cancellation that is undone', {}, { stage: 'undoing', badEnd }, 'Cancelled'],
    [
      'of name servers that fail',
      {},
      { records: [{ ...spf, status: 'inconclusive', findings: [silent] }] },
      'server_failure@acme.test',
    ],
    ['of a step that does not succeed', { waitingFor: [stuck] }, { stage: 'creatingSender' }, 'createSender#7'],
    ['and none of a tenant who has yet to publish', {}, {}, '-'],
  ] as const)('%s', async (_what, changes, onboarding, cause) => {
    const records = [{ ...spf, findings: [{ code: 'not_there', name: 'acme.test', fix: 'Publish it' }] }];
    const view = waitingView(
      { ...changes } as Partial<OnboardingView>,
      { records, ...onboarding } as Partial<Onboarding>,
    );
    expect((await rowOf(view)).split(/ {2,}/).at(-1)).toBe(cause);
  });
});

test('the table shows since when an onboarding is stuck', async () => {
  const view = waitingView({ stuck: { since: '2026-11-21T09:00:00.000Z', message: 'TMPRL1100' } });
  expect(await rowOf(view, { stuck: true }, '?stuck=true')).toMatch(/2026-11-21T09:00:00Z.*stuck/);
});

describe('the table shows of a verified domain', () => {
  const muted = [{ purpose: 'dkim', reason: 'Moved', by: 'ada', at: AT }];
  test.each([
    ['nothing while it is intact', watchView(), ['onboarded', AT]],
    [
      'that it has drifted, and since when',
      watchView({ state: 'drifted', stateSince: LATER }),
      ['onboarded, drifted', LATER],
    ],
    ['that it is gone', watchView({ state: 'gone', stateSince: LATER }), ['onboarded, gone', LATER]],
    ['its muted records', watchView({ muted }), ['onboarded, muted dkim', AT]],
  ])('%s', async (_what, domainWatch, cells) => {
    const row = await rowOf(waitingView({ outcome: 'onboarded', endedAt: AT, domainWatch }));
    expect(row.split(/ {2,}/).slice(2, 4)).toEqual(cells.map((cell) => cell.replace('.000Z', 'Z')));
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOnboardingViews } from '../../src/client/onboarding/onboarding-views.ts';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import { temporalUi } from '../../src/client/temporal-ui.ts';
import { buildHttpApp } from '../../src/http/app.ts';
import type { HttpApp } from '../../src/lib/http/create-http-app.ts';
import type { DnsRecord } from '../../src/onboarding/dns-record.ts';
import { beginOnboarding } from '../support/begin-onboarding.ts';
import { httpDependencies } from '../support/http-dependencies.ts';
import { request } from '../support/http-requests.ts';
import { requiredRecord } from '../support/register-api.ts';
import { openTestRegister, type TestRegister } from '../support/test-register.ts';

const TENANTS = 200;
const mistaken = ['tenant-007', 'tenant-100', 'tenant-199'];

let opened: TestRegister;
let app: HttpApp;
beforeAll(async () => {
  opened = await openTestRegister();
  const { register, claims, intents } = opened;
  for (let n = 0; n < TENANTS; n += 1) {
    const tenantId = `tenant-${String(n).padStart(3, '0')}`;
    await beginOnboarding(register, tenantId);
    const attemptId = `attempt-of-${tenantId}`;
    const run = { tenantId, attemptId, runId: attemptId, at: new Date().toISOString() };
    await register.enter(run, 'awaitingDomain', '2030-01-01T00:00:00.000Z');
    const code = mistaken.includes(tenantId) ? 'host_doubled' : 'not_published';
    await register.note(run, { records: [recordWith(code)] }, run.at);
  }
  const presence = async () => ({ reachable: false, workers: 'unknown' as const, checkedAt: new Date().toISOString() });
  const executions = { record: async () => undefined };
  const watchedDomains = { getAll: async () => new Map<string, never>() };
  const ui = temporalUi(undefined, 'default');
  app = buildHttpApp(
    httpDependencies({
      views: createOnboardingViews({ register, claims, intents, watchedDomains, executions, presence, ui }),
    }),
  );
});
afterAll(async () => {
  await app.close();
  await opened.end();
});

const recordWith = (code: string): DnsRecord =>
  requiredRecord('acme.test', {
    status: code === 'not_published' ? 'missing' : 'wrong',
    findings: [{ code, name: 'bounce.acme.test', fix: 'Publish it' }],
  });

const get = (query: string) => request(app, 'GET', `/onboardings${query}`);
const list = async (query: string) => (await get(query)).json<{ data: OnboardingView[]; next_cursor: string | null }>();
const idsOf = async (query: string) => (await list(query)).data.map(({ tenantId }) => tenantId).sort();

describe('of 200 waiting tenants, one request', () => {
  test('finds exactly the three with a definite mistake, although Temporal cannot be reached', async () => {
    expect(await idsOf('?needs_attention=true')).toEqual(mistaken);
    expect(await idsOf('?finding=host_doubled&stage=awaitingDomain&outcome=running')).toEqual(mistaken);
    const [first] = (await list('?needs_attention=true')).data;
    expect(first).toMatchObject({
      needsAttention: { findings: [{ code: 'host_doubled', purpose: 'spf' }] },
      temporal: { reachable: false, workers: 'unknown' },
    });
  });

  test('finds a tenant by the beginning of its ID or domain, in any case', async () => {
    expect(await idsOf('?q=TENANT-007')).toEqual(['tenant-007']);
    expect(await idsOf('?q=tenant-007.te')).toEqual(['tenant-007']);
    expect(await idsOf('?q=007')).toEqual([]);
    expect(await idsOf('?q=%25')).toEqual([]);
  });

  test('finds those that wait for longer than a duration', async () => {
    expect(await idsOf('?waiting_longer_than=24h')).toEqual([]);
    expect(await idsOf('?waiting_longer_than=0s&needs_attention=true')).toEqual(mistaken);
  });
});

test('pages list every tenant once', async () => {
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await list(`?limit=70${cursor === '' ? '' : `&cursor=${cursor}`}`);
    seen.push(...page.data.map(({ tenantId }) => tenantId));
    cursor = page.next_cursor;
  }
  expect(seen).toHaveLength(TENANTS);
  expect(new Set(seen).size).toBe(TENANTS);
});

test.each([
  ['?stage=waiting', '/stage'],
  ['?needs_attention=yes', '/needs_attention'],
  ['?waiting_longer_than=long', '/waiting_longer_than'],
  ['?waiting_longer_than=99999999d', '/waiting_longer_than'],
  ['?limit=101', '/limit'],
  ['?finding=A%20B', '/finding'],
  ['?cursor=abc', '/cursor'],
  ['?stages=done', '/stages'],
])('refuses %s, and names %s', async (query, pointer) => {
  const answer = await get(query);
  expect(answer.statusCode).toBe(422);
  expect(answer.json()).toMatchObject({ errors: [{ pointer }] });
});

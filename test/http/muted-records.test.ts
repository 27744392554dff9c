import { afterEach, beforeEach, expect, test } from 'vitest';
import { newOnboarding } from '../../src/onboarding/onboarding.ts';
import { afterWatchCheck } from '../../src/onboarding/domain-watch.ts';
import { buildHttpApp } from '../../src/http/app.ts';
import type { DomainWatchView } from '../../src/store/upkeep/watched-domains.ts';
import { httpDependencies } from '../support/http-dependencies.ts';
import { request } from '../support/http-requests.ts';
import { requiredRecord } from '../support/register-api.ts';
import { inputOf } from '../support/valid-input.ts';
import { openTestRegister, type TestRegister } from '../support/test-register.ts';

const AT = '2026-01-01T00:00:00.000Z';

let opened: TestRegister;
beforeEach(async () => {
  opened = await openTestRegister();
});
afterEach(() => opened.end());

/** The API, and a tenant whose domain has lost these records. */
async function api(...lost: string[]) {
  const { register, watchedDomains } = opened;
  const records = ['dkim', 'spf'].map((purpose) =>
    requiredRecord('acme.test', { purpose, ...(lost.includes(purpose) ? {} : { status: 'found', findings: [] }) }),
  );
  const attempt = { tenantId: 'acme', attemptId: 'a', runId: 'a', startedAt: AT, at: AT, startedWith: null };
  const onboarding = { ...newOnboarding(inputOf('acme')), domainId: 'dom_1', records };
  await register.end({ ...attempt, onboarding, outcome: 'onboarded', result: null, failure: null });
  for (const at of [AT, AT]) {
    await register.watch('acme', at, (watched) => {
      const { watch, event } = afterWatchCheck(watched, { kind: 'records', records, status: 'verified' }, at);
      return {
        watched: { ...watched, ...watch, nextCheckAt: '2026-01-02T00:00:00.000Z' },
        events: event ? [event] : [],
      };
    });
  }
  const app = buildHttpApp(httpDependencies({ register, watchedDomains }));
  const call = async (method: 'PUT' | 'DELETE', path: string, payload?: object) => {
    const answer = await request(app, method, path, payload);
    return { status: answer.statusCode, body: answer.json<DomainWatchView & { detail: string }>() };
  };
  const requests = async () =>
    (await register.events({ after: 0, limit: 50 })).flatMap(({ type, data }) =>
      type === 'onboarding.requested' ? [data] : [],
    );
  return {
    call,
    requests,
    eventTypes: async () => (await register.events({ after: 0, limit: 50 })).map(({ type }) => type),
  };
}

const DKIM = '/onboardings/acme/muted-records/dkim';
const why = { reason: 'Moved to another provider.', by: 'ada' };

test('muting the only lost record ends the drift, and unmuting it makes the domain due', async () => {
  const { call, eventTypes, requests } = await api('dkim');
  expect(await opened.register.list({ needsAttention: true }, { limit: 5 })).toHaveLength(1);
  const muted = await call('PUT', DKIM, why);
  expect(muted).toMatchObject({
    status: 200,
    body: { state: 'ok', findings: [], muted: [{ purpose: 'dkim', ...why }] },
  });
  expect((await eventTypes()).filter((type) => type.startsWith('domain.'))).toEqual([
    'domain.drifted',
    'domain.recovered',
  ]);
  expect(await opened.register.list({ needsAttention: true }, { limit: 5 })).toEqual([]);
  const unmuted = await call('DELETE', `${DKIM}?by=bob`);
  expect(unmuted).toMatchObject({ status: 200, body: { state: 'ok', muted: [] } });
  expect(Date.parse(unmuted.body.nextCheckAt ?? '')).toBeLessThanOrEqual(Date.now());
  expect(await requests()).toEqual([
    { request: 'mute_record', purpose: 'dkim', ...why, apiTokenName: 'backend' },
    { request: 'unmute_record', purpose: 'dkim', by: 'bob', apiTokenName: 'backend' },
  ]);
});

test('a drift with two causes stays when one is muted', async () => {
  const { call } = await api('dkim', 'spf');
  expect((await call('PUT', DKIM, why)).body).toMatchObject({ state: 'drifted', findings: [{ purpose: 'spf' }] });
});

test.each([
  [
    '/onboardings/acme/muted-records/dmarc',
    'The domain has no required record "dmarc". Its required records: dkim, spf.',
  ],
  [
    '/onboardings/globex/muted-records/dkim',
    'Tenant "globex" has no verified domain: its latest onboarding is not onboarded.',
  ],
])('PUT %s answers 404', async (path, detail) => {
  const { call } = await api();
  expect(await call('PUT', path, why)).toMatchObject({ status: 404, body: { detail } });
});

test.each([
  ['PUT', DKIM],
  ['DELETE', `${DKIM}?by=ada`],
] as const)(
  '%s %s of a domain that is not watched answers 404, and no event says that it was asked for',
  async (method, path) => {
    const { call, requests } = await api();
    const attempt = { tenantId: 'acme', attemptId: 'b', runId: 'b', startedAt: AT, at: AT, startedWith: null };
    const records = [requiredRecord('acme.test', { purpose: 'dkim' })];
    await opened.register.begin({ ...attempt, onboarding: { ...newOnboarding(inputOf('acme')), records } });
    expect(await call(method, path, method === 'PUT' ? why : undefined)).toMatchObject({ status: 404 });
    expect(await requests()).toEqual([]);
  },
);

test('a reason and a name are required', async () => {
  const { call } = await api();
  expect((await call('PUT', DKIM, { reason: '' })).status).toBe(422);
});

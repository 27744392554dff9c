// On the real server and its Worker: what the routes promise, a Workflow must carry out.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildHttpApp } from '../../src/http/app.ts';
import type { HttpApp } from '../../src/lib/http/create-http-app.ts';
import type { RecordEnd } from '../../src/onboarding/record-change.ts';
import { providerReportedSignal } from '../../src/workflows/messages.ts';
import { httpDependencies } from '../support/http-dependencies.ts';
import { request } from '../support/http-requests.ts';
import { inputOf, type OnboardingEnvironment, openOnboardings } from '../support/onboarding-environment.ts';
import { gate } from '../support/held-calls.ts';

/** Tenants whose domain is verified. */
const verified = new Set<string>();
/** The end of these is recorded, but their execution cannot close before the release. */
const held = new Map<string, Promise<void>>();

let environment: OnboardingEnvironment;
let app: HttpApp;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ environment, stop } = await openOnboardings({ verified: (tenantId) => verified.has(tenantId) }));
  const { register } = environment;
  const end = register.end.bind(register);
  register.end = async (record: RecordEnd) => {
    const standing = await end(record);
    await held.get(record.tenantId);
    return standing;
  };
  app = buildHttpApp(httpDependencies(environment));
});
afterAll(async () => {
  await app.close();
  await stop();
});

async function call(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  payload?: object,
  headers: Record<string, string> = {},
) {
  const answer = await request(app, method, `/onboardings/${path}`, payload, headers);
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() };
}

const bodyOf = (tenantId: string) => {
  const { domain, fromAddress, firstEmail } = inputOf(tenantId);
  return { domain, fromAddress, firstEmail };
};

const viewOf = async (tenantId: string): Promise<Record<string, unknown>> => (await call('GET', tenantId)).body;

async function startWaiting(tenantId: string): Promise<void> {
  expect((await call('PUT', tenantId, bodyOf(tenantId))).status).toBe(201);
  await expect
    .poll(() => viewOf(tenantId), { timeout: 20_000 })
    .toMatchObject({ stage: 'awaitingDomain', deadline: expect.any(String) as string });
}

const untilOutcome = (tenantId: string, outcome: string): Promise<void> =>
  expect.poll(() => viewOf(tenantId), { timeout: 30_000 }).toMatchObject({ outcome });

const requestsOf = async (tenantId: string): Promise<unknown[]> =>
  (await environment.register.events({ after: 0, tenantId, limit: 100 }))
    .filter(({ type }) => type === 'onboarding.requested')
    .map(({ data }) => data);

describe('POST /onboardings/{tenantId}/check-now', () => {
  test('answers what is missing, which the view shows then; and 409 with the reason when nothing waits', async () => {
    await startWaiting('check');
    const { status, body } = await call('POST', 'check/check-now', { by: 'ada' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      verified: false,
      conclusive: true,
      records: [{ purpose: 'dkim', findings: [{ code: 'not_published' }] }],
    });
    expect(await viewOf('check')).toMatchObject({ onboarding: { records: body['records'] } });
    expect(await requestsOf('check')).toEqual([{ request: 'check_now', by: 'ada', apiTokenName: 'backend' }]);

    verified.add('check');
    const { client } = environment.server.environment;
    const reported = { eventId: 'evt_1', type: 'domain.verified' };
    await client.workflow.getHandle('onboarding/check').signal(providerReportedSignal, reported);
    await untilOutcome('check', 'onboarded');
    const refused = await call('POST', 'check/check-now');
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'update_refused', detail: 'The onboarding has ended.' });
  });
});

describe('POST /onboardings/{tenantId}/extend', () => {
  test('answers the new deadline when the register has it; and keeps who asked with which token', async () => {
    await startWaiting('extend');
    const before = (await viewOf('extend'))['deadline'] as string;
    const by = 'a'.repeat(200);
    const { status, body } = await call('POST', 'extend/extend', { hours: 24, by, reason: 'slow registrar' });
    expect(status).toBe(200);
    const deadline = new Date(Date.parse(before) + 24 * 3_600_000).toISOString();
    expect(body).toEqual({ tenantId: 'extend', deadline });
    expect(await viewOf('extend')).toMatchObject({ deadline });
    const request = { request: 'extend', hours: 24, reason: 'slow registrar', by, apiTokenName: 'backend' };
    expect(await requestsOf('extend')).toEqual([request]);
    const { client } = environment.server.environment;
    const { json } = await environment.history(client.workflow.getHandle('onboarding/extend'));
    const data = Buffer.from(JSON.stringify({ hours: 24, reason: 'slow registrar', by: `${by} (API token backend)` }));
    expect(json).toContain(data.toString('base64'));

    const refused = await call('POST', 'extend/extend', { hours: 720, by: 'ada', reason: 'slower' });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      code: 'update_refused',
      detail:
        'The verification window may last at most 30 days, extensions included, so this one may last at most 624 more hours; found 720.',
    });
  });
});

describe('a repeated POST /onboardings/{tenantId}/extend', () => {
  const repeated = { hours: 24, by: 'ada', reason: 'slow registrar' };
  const extended = async (tenantId: string, payload: object, key?: string): Promise<unknown> =>
    (await call('POST', `${tenantId}/extend`, payload, key === undefined ? {} : { 'idempotency-key': key })).body[
      'deadline'
    ];
  const later = (deadline: unknown, hours: number): string =>
    new Date(Date.parse(deadline as string) + hours * 3_600_000).toISOString();

  test('extends once until the register has the new deadline', async () => {
    await startWaiting('repeats');
    const { deadline } = await viewOf('repeats');
    const get = environment.register.get.bind(environment.register);
    const before = await get('repeats');
    // As while no Worker executes the first request.
    environment.register.get = async (tenantId) => (tenantId === 'repeats' ? before : get(tenantId));
    try {
      expect(await extended('repeats', repeated)).toBe(later(deadline, 24));
      expect(await extended('repeats', repeated)).toBe(later(deadline, 24));
      expect(await extended('repeats', { ...repeated, hours: 1 })).toBe(later(deadline, 25));
    } finally {
      environment.register.get = get;
    }
    await expect.poll(() => viewOf('repeats'), { timeout: 20_000 }).toMatchObject({ deadline: later(deadline, 25) });
    expect(await extended('repeats', repeated)).toBe(later(deadline, 49));
    expect(await extended('repeats', repeated)).toBe(later(deadline, 73));
  });

  test('extends once for each Idempotency-Key, bare or quoted', async () => {
    await startWaiting('keyed');
    const { deadline } = await viewOf('keyed');
    const both = await Promise.all([extended('keyed', repeated, 'of-ada'), extended('keyed', repeated, 'of-bob')]);
    expect(both.toSorted()).toEqual([later(deadline, 24), later(deadline, 48)]);
    await expect.poll(() => viewOf('keyed'), { timeout: 20_000 }).toMatchObject({ deadline: later(deadline, 48) });
    expect(await extended('keyed', repeated, '"of-ada"')).toBe(both[0]);
    const malformed = await call('POST', 'keyed/extend', repeated, { 'idempotency-key': 'of ada' });
    expect(malformed).toMatchObject({ status: 400, body: { code: 'idempotency_key_malformed' } });
  });
});

describe('POST /onboardings/{tenantId}/cancel and /restart', () => {
  test('cancel a waiting onboarding, and start it again with another input', async () => {
    await startWaiting('again');
    expect((await call('POST', 'again/cancel', { by: 'ada' })).status).toBe(202);
    await untilOutcome('again', 'cancelled');
    expect(await viewOf('again')).toMatchObject({ remains: [], apiKey: { state: 'revoked' } });
    verified.add('again');
    const firstEmail = { ...bodyOf('again').firstEmail, subject: 'Another welcome' };
    const restarted = await call('POST', 'again/restart', { ...bodyOf('again'), firstEmail, by: 'bob' });
    expect(restarted.status).toBe(201);
    expect(restarted.body).toMatchObject({ outcome: 'running' });
    await untilOutcome('again', 'onboarded');
    expect(await requestsOf('again')).toEqual([
      { request: 'cancel', by: 'ada', apiTokenName: 'backend' },
      { request: 'restart', by: 'bob', apiTokenName: 'backend' },
    ]);
  });

  test('restart answers 409 while the onboarding runs and differs', async () => {
    await startWaiting('busy');
    const firstEmail = { ...bodyOf('busy').firstEmail, subject: 'Another welcome' };
    const { status, body } = await call('POST', 'busy/restart', { ...bodyOf('busy'), firstEmail });
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'onboarding_differs', fields: ['firstEmail.subject'] });
  });
});

describe('a start between the recorded end of an onboarding and the close of its execution', () => {
  test('waits for the close, and begins the next onboarding', async () => {
    await startWaiting('closing');
    const { open: release, opened } = gate();
    held.set('closing', opened);
    await call('POST', 'closing/cancel');
    await untilOutcome('closing', 'cancelled');
    const { client } = environment.server.environment;
    const first = await client.workflow.getHandle('onboarding/closing').describe();
    expect(first.status.name).toBe('RUNNING');
    const started = call('PUT', 'closing', bodyOf('closing'));
    held.delete('closing');
    release();
    const { status, body } = await started;
    expect(status).toBe(201);
    expect(body).toMatchObject({ outcome: 'running' });
    expect(body['runId']).not.toBe(first.runId);
  });
});

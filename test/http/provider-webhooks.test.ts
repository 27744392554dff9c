import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FAST, type FakeSes, startFakeSes } from '../../src/conformance/fakes/fake-ses.ts';
import { CERTIFICATE_PATH, newCertificate, snsMessage, TOPIC_ARN } from '../../src/conformance/fakes/fake-sns.ts';
import { createSesWebhookReader } from '../../src/email-provider/adapters/ses/read-webhook.ts';
import { createResendWebhookReader } from '../../src/email-provider/adapters/resend/read-webhook.ts';
import { OnboardingUnavailable } from '../../src/client/onboarding/onboarding-unavailable.ts';
import { buildHttpApp } from '../../src/http/app.ts';
import type { HttpApp } from '../../src/lib/http/create-http-app.ts';
import type { ProviderEvent } from '../../src/onboarding/provider-event.ts';
import { createSqlProviderEvents } from '../../src/store/onboarding/provider-events.ts';
import { createSqlProviderIntents } from '../../src/store/onboarding/provider-intents.ts';
import { httpDependencies } from '../support/http-dependencies.ts';
import { RESEND_SECRET, type ResendWebhook, resendWebhook } from '../support/resend-webhook.ts';
import { openTestRegister, type TestRegister } from '../support/test-register.ts';

let opened: TestRegister;
let ses: FakeSes;
let app: HttpApp;
let woken: { tenantId: string; eventId: string; type: string }[];
let explained: string[];
let wakeFault: Error | undefined;
/** The count of each line about events of no onboarding. */
let logged: [provider: string, events: number][];
/** What the reader of a provider with batches returns. */
let batch: readonly ProviderEvent[] | undefined;

beforeEach(async () => {
  opened = await openTestRegister();
  woken = [];
  explained = [];
  wakeFault = undefined;
  logged = [];
  batch = undefined;
  ses = await startFakeSes();
  const readResend = createResendWebhookReader([RESEND_SECRET]);
  const readSes = createSesWebhookReader({ ...FAST, baseUrl: ses.baseUrl, warn: () => undefined });
  const write = (line: string): void => {
    const { msg, provider, events } = JSON.parse(line) as { msg: string; provider: string; events: number };
    if (msg === 'webhooks about no onboarding') logged.push([provider, events]);
  };
  app = buildHttpApp(
    httpDependencies({
      logger: pino({}, { write }),
      onboardings: {
        ...httpDependencies().onboardings,
        async wakeUp(tenantId, wakeUp) {
          if (wakeFault !== undefined) throw wakeFault;
          woken.push({ tenantId, ...wakeUp });
          return true;
        },
      },
      register: { ...httpDependencies().register, explainBounce: async (tenantId) => explained.push(tenantId) },
      providerWebhooks: {
        readers: {
          resend: async (webhook) => batch ?? readResend(webhook),
          ses: async (webhook) => batch ?? readSes(webhook),
        },
        events: createSqlProviderEvents(opened.database),
      },
    }),
  );
  const intents = createSqlProviderIntents(opened.database);
  const notes = (['resend', 'ses'] as const).flatMap((provider) =>
    ['acme', 'beta'].map((tenantId) => [tenantId, { provider, kind: 'email', subject: tenantId } as const] as const),
  );
  for (const [tenantId, key] of notes) {
    await intents.note(key, { tenantId, attemptId: '1', notedAt: '2026-11-24T12:00:00.000Z' });
    await intents.setMade(key, { resourceId: `e-${tenantId}`, attemptId: '1' });
  }
});
afterEach(async () => {
  await app.close();
  await ses.close();
  await opened.end();
});

const post = ({ headers, payload }: ResendWebhook, provider = 'resend') =>
  app.inject({ method: 'POST', url: `/webhooks/provider/${provider}`, headers, payload });
const delivered = (email: string) => ({ type: 'email.delivered', data: { email_id: email } });
const stored = async (): Promise<string[]> =>
  (await opened.database.selectFrom('provider_events').select('tenant_id').execute()).map(({ tenant_id }) => tenant_id);

test('stores the event, and then wakes the onboarding', async () => {
  expect((await post(resendWebhook(delivered('e-acme')))).statusCode).toBe(204);
  expect(woken).toEqual([{ tenantId: 'acme', eventId: 'msg_1', type: 'delivered' }]);
  expect(await stored()).toEqual(['acme']);
});

test('a bounce explains the end of an onboarding that a poll has ended, also when it is repeated', async () => {
  const bounced = resendWebhook({ type: 'email.bounced', data: { email_id: 'e-beta', bounce: { type: 'Permanent' } } });
  expect((await post(bounced)).statusCode).toBe(204);
  expect((await post(bounced)).statusCode).toBe(204);
  await post(resendWebhook(delivered('e-acme'), { id: 'msg_2' }));
  expect(explained).toEqual(['beta', 'beta']);
});

test('a repetition changes nothing', async () => {
  const webhook = resendWebhook(delivered('e-acme'));
  await post(webhook);
  expect((await post(webhook)).statusCode).toBe(204);
  expect(woken).toHaveLength(1);
  expect(await stored()).toEqual(['acme']);
});

test.each([
  ['another secret', { secret: `whsec_${Buffer.from('another secret, also long enough').toString('base64')}` }],
  ['six minutes old', { aheadMs: -360_000 }],
  ['six minutes ahead', { aheadMs: 360_000 }],
])('answers 401 to %s, and stores and wakes nothing', async (_name, changes) => {
  const answer = await post(resendWebhook(delivered('e-acme'), changes));
  expect(answer.statusCode).toBe(401);
  expect(answer.json()).toMatchObject({ code: 'invalid_signature' });
  expect(woken).toEqual([]);
  expect(await stored()).toEqual([]);
});

test("a signed webhook with another tenant's email changed into it is refused", async () => {
  const { headers, payload } = resendWebhook(delivered('e-beta'));
  expect((await post({ headers, payload: payload.replace('e-beta', 'e-acme') })).statusCode).toBe(401);
  expect(await stored()).toEqual([]);
});

test('accepts an event of no onboarding, and stores and wakes nothing', async () => {
  expect((await post(resendWebhook(delivered('e-unknown')))).statusCode).toBe(204);
  expect(woken).toEqual([]);
  expect(await stored()).toEqual([]);
});

test('counts the events of no onboarding by provider, and logs each count once a minute', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const event: ProviderEvent = { eventId: '1', type: 'delivered', at: '2026-11-24T12:00:00.000Z', emailId: 'e-none' };
    batch = [event, event];
    await post(resendWebhook({}));
    await post(resendWebhook({}));
    await post(resendWebhook({}), 'ses');
    vi.advanceTimersByTime(60_000);
    await post(resendWebhook({}), 'ses');
    batch = [];
    await post(resendWebhook({}));
    expect(logged).toEqual([
      ['resend', 2],
      ['ses', 2],
      ['ses', 2],
      ['resend', 2],
    ]);
  } finally {
    vi.useRealTimers();
  }
});

test('takes several events of one request, or none', async () => {
  const event = (id: string, emailId: string): ProviderEvent => ({
    ...{ eventId: id, type: 'delivered', at: '2026-11-24T12:00:00.000Z' },
    emailId,
  });
  batch = [event('1', 'e-acme'), event('2', 'e-none'), event('3', 'e-beta')];
  expect((await post(resendWebhook({}))).statusCode).toBe(204);
  expect(woken.map(({ tenantId }) => tenantId)).toEqual(['acme', 'beta']);
  batch = [];
  expect((await post(resendWebhook({}))).statusCode).toBe(204);
  expect((await stored()).toSorted()).toEqual(['acme', 'beta']);
});

test('a tenant without its execution does not make the webhook of the account fail', async () => {
  wakeFault = new OnboardingUnavailable('its execution is missing');
  expect((await post(resendWebhook(delivered('e-acme')))).statusCode).toBe(204);
  wakeFault = new Error('Temporal does not answer');
  expect((await post(resendWebhook(delivered('e-beta'), { id: 'msg_2' }))).statusCode).toBe(500);
  wakeFault = undefined;
  expect((await post(resendWebhook(delivered('e-beta'), { id: 'msg_2' }))).statusCode).toBe(204);
  expect(woken.map(({ tenantId }) => tenantId)).toEqual(['beta']);
});

test.each(['sendoff', 'recent', 'toString'])('answers 404 for provider %s, whose secret is not set', async (name) => {
  const answer = await post(resendWebhook(delivered('e-acme')), name);
  expect(answer.statusCode).toBe(404);
  expect(answer.json<{ detail: string }>().detail).toContain(`receives no webhooks of "${name}"`);
});

test('answers 413 to a body that is too large, and 401 to none', async () => {
  const { headers } = resendWebhook({});
  expect((await post({ headers, payload: 'x'.repeat(600_001) })).statusCode).toBe(413);
  expect((await post({ headers, payload: '' })).statusCode).toBe(401);
});

describe('of SNS', () => {
  const aboutEmail = (id: string, fields: Readonly<Record<string, string>> = {}): Record<string, string> => {
    const email = { id, from: 'a@acme.test', to: 'ada@inbox.test', tenant: 'so-1', tags: {} };
    return snsMessage({
      Message: ses.eventOf(email, 'Delivery', { timestamp: '2026-11-24T12:00:00.000Z' }),
      ...fields,
    });
  };
  const postSns = (message: object) =>
    post({ headers: { 'content-type': 'text/plain; charset=UTF-8' }, payload: JSON.stringify(message) }, 'ses');
  const at = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

  test('stores the event, and a repetition changes nothing', async () => {
    const message = aboutEmail('e-acme');
    expect((await postSns(message)).statusCode).toBe(204);
    expect((await postSns(message)).statusCode).toBe(204);
    expect(woken.map(({ tenantId }) => tenantId)).toEqual(['acme']);
    expect(await stored()).toEqual(['acme']);
  });

  test.each<[string, () => Record<string, string>]>([
    ['of another topic', () => aboutEmail('e-acme', { TopicArn: `${TOPIC_ARN}2` })],
    ['of signature version 1', () => aboutEmail('e-acme', { SignatureVersion: '1' })],
    [
      'whose certificate is at another host',
      () => aboutEmail('e-acme', { SigningCertURL: `https://sns.attacker.test${CERTIFICATE_PATH}` }),
    ],
    ['of the day before yesterday', () => aboutEmail('e-acme', { Timestamp: at(-48 * 3_600) })],
    ['from the future', () => aboutEmail('e-acme', { Timestamp: at(600) })],
    [
      "with another tenant's email changed into it",
      () => {
        const message = aboutEmail('e-beta');
        return { ...message, Message: (message['Message'] ?? '').replaceAll('e-beta', 'e-acme') };
      },
    ],
    [
      'signed with another key',
      () => {
        ses.rules.before = (request) =>
          request.endsWith('.pem') ? { status: 200, body: newCertificate().certificate } : undefined;
        return aboutEmail('e-acme');
      },
    ],
  ])('answers 401 to a message %s, and stores and wakes nothing', async (_, forged) => {
    const answer = await postSns(forged());
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([401, 'invalid_signature']);
    expect(woken).toEqual([]);
    expect(await stored()).toEqual([]);
  });
});

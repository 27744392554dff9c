// One local deployment with real parts and a fault proxy between the orchestrator and the email service. Every tenant meets
// its own fault, all at once; each must end with one of everything.
import { rmSync } from 'node:fs';
import { Client, Connection, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Runtime } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { DomainReport } from '../../src/onboarding/domain-report.ts';
import { createApiClient } from '../../src/cli/api-client.ts';
import { type DevEnvironment, startDevEnvironment } from '../../src/dev/dev-environment.ts';
import type { CallEffect, CallFault, Delivery, Fault, Occurrences } from '../support/faults/fault.ts';
import { type FaultProxy, startFaultProxy } from '../support/faults/start-fault-proxy.ts';
import { badGateway, problemAnswer, proxyPage, tooManyRequests } from '../support/faults/scripted-answers.ts';
import { toZoneRecords } from '../../src/dev/world/zone-record.ts';
import { domainZone } from '../../src/dev/world/world-zones.ts';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import { apiKeyRef, onboardingWorkflowId, ownKeyRef, signingSecretRef } from '../../src/onboarding/onboarding-ids.ts';
import type { Stage } from '../../src/onboarding/stage.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { getIssued } from '../../src/store/issued-secret.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createSqlSecretStore } from '../../src/store/secret-store.ts';
import { checkNowUpdate } from '../../src/workflows/messages.ts';
import { heldAtService } from '../crash/held-at-service.ts';
import { gate } from '../support/held-calls.ts';
import { temporalCli } from '../support/temporal.ts';
import { newDataFolder } from './running-sendoff.ts';

interface Story {
  readonly faults: readonly Fault[];
  /** What has to be so before the tenant publishes its records. */
  readonly publishWhen?: (view: OnboardingView) => boolean;
  /** What happens meanwhile. */
  readonly meanwhile?: (account: string) => Promise<unknown>;
  /** @default the five steps, one after the other */
  readonly stages?: readonly Stage[];
}

/** All of them run at the same time: half a minute alone; beside other tests, minutes. */
const STORIES_MS = 5 * 60_000;

const CREATES = ['/api-keys', '/webhooks', '/domains', '/senders', '/emails'];
const STRAIGHT: readonly Stage[] = [
  ...(['issuingKey', 'registeringWebhook', 'registeringDomain', 'awaitingDomain', 'creatingSender'] as const),
  ...(['sendingFirstEmail', 'awaitingDelivery', 'done'] as const),
];
const BACK_ONCE: readonly Stage[] = [...STRAIGHT.slice(0, 5), ...STRAIGHT.slice(3)];

const call = (method: string, path: string, effect: CallEffect, when: Occurrences = { first: 1 }): Fault => ({
  on: 'call',
  method,
  path,
  effect,
  when,
});
const answered = (answer: Extract<CallEffect, { kind: 'answer' }>['answer']): CallEffect => ({
  kind: 'answer',
  answer,
});
const atEachCreate = (effect: CallEffect, when?: Occurrences): Fault[] =>
  CREATES.map((path) => call('POST', path, effect, when));
const domainStatus = (status: string, when: Occurrences, applies = (): boolean => true): Fault =>
  call('GET', '/domains/:id', { kind: 'alter', alter: (domain) => (applies() ? { ...domain, status } : domain) }, when);
/** The email is final soon afterwards. */
const emailQueued = call('POST', '/emails', { kind: 'alter', alter: (email) => ({ ...email, status: 'queued' }) });
const webhook = (event: string, ...deliveries: Delivery[]): Fault => ({ on: 'webhook', event, deliveries });
const eachWebhook = (...deliveries: Delivery[]): Fault[] => [
  webhook('domain.verified', ...deliveries),
  webhook('email.delivered', ...deliveries),
];
const forged: Delivery = {
  change: { kind: 'forged', forge: (body) => body.replace(/"type":"[^"]*"/, '"type":"email.bounced"') },
};
const byClock = (minutes: number): Delivery => ({ change: { kind: 'wrongClock', aheadMs: minutes * 60_000 } });

const deliveredEarly = gate();
const onboardedLate = gate();

const stories: Readonly<Record<string, Story>> = {
  'too-many-requests': { faults: atEachCreate(answered(tooManyRequests(1))) },
  'server-errors': {
    faults: [
      ...atEachCreate(answered(problemAnswer('unavailable', 1))),
      ...atEachCreate(answered(badGateway)),
      ...atEachCreate(answered(problemAnswer('internal_error'))),
    ],
  },
  'time-outs': {
    faults: [
      // Twice: neither of the two quick attempts gets an answer.
      call('POST', '/domains', { kind: 'silence', worked: false }, { first: 2 }),
      call('POST', '/senders', { kind: 'silence', worked: true }),
    ],
  },
  resets: { faults: atEachCreate({ kind: 'reset', worked: false }, { first: 3 }) },
  'lost-answers': { faults: atEachCreate({ kind: 'reset', worked: true }, { first: 3 }) },
  'pages-of-a-proxy': {
    faults: [
      ...[302, 403, 404].flatMap((status) => atEachCreate(answered(proxyPage(status)))),
      call('GET', '/domains/:id', answered(proxyPage(404))),
      emailQueued,
      call('GET', '/emails/:id', answered(proxyPage(403))),
    ],
  },
  'lagging-replica': {
    faults: [
      call('GET', '/domains/:id', answered(problemAnswer('not_found')), { first: 2 }),
      call('GET', '/emails/:id', answered(problemAnswer('not_found')), { first: 2 }),
      call('POST', '/webhooks', answered(problemAnswer('invalid_api_key')), { first: 2 }),
      call('POST', '/senders', answered(problemAnswer('validation_failed')), { first: 2 }),
      call('POST', '/emails', answered(problemAnswer('domain_not_verified')), { first: 2 }),
      emailQueued,
    ],
  },
  'flips-back': {
    // Until it is believed: on a busy machine the first answer may come too late.
    faults: [domainStatus('verified', 'always', () => callsOf('flips-back', 'POST', '/senders').length === 0)],
    publishWhen: (view) => view.onboarding.timesNotVerified === 1,
    stages: BACK_ONCE,
  },
  'refused-after-verified': {
    faults: [call('POST', '/senders', answered(problemAnswer('domain_not_verified')))],
    stages: BACK_ONCE,
  },
  'stale-reads': {
    faults: [domainStatus('pending', { first: 2 })],
    meanwhile: async (account) => {
      await happened(() => callsOf(account, 'GET', '/domains/').length >= 2);
      await checkNow(account);
    },
  },
  'early-webhook': {
    faults: [
      call('POST', '/emails', {
        kind: 'hold',
        what: 'answer',
        until: { kind: 'promise', promise: deliveredEarly.opened },
      }),
    ],
    meanwhile: async (account) => {
      await happened(() => deliveriesOf(account, 'email.delivered').length > 0);
      deliveredEarly.open();
    },
  },
  'late-webhook': {
    faults: [
      webhook('domain.verified', { after: { kind: 'time', ms: 2_000 } }),
      webhook('email.delivered', { after: { kind: 'promise', promise: onboardedLate.opened } }),
    ],
  },
  'doubled-webhook': { faults: eachWebhook({}, {}, {}) },
  'reordered-webhooks': {
    faults: [webhook('domain.verified', { after: { kind: 'nextWebhook' } })],
    meanwhile: (account) => checkOnceVerified(account),
  },
  'dropped-webhooks': { faults: eachWebhook(), meanwhile: (account) => checkOnceVerified(account) },
  'forged-webhooks': { faults: eachWebhook(forged, {}) },
  'replayed-webhook': { faults: [webhook('domain.verified', {}, {}, { after: { kind: 'time', ms: 1_000 } })] },
  'wrong-clock': { faults: eachWebhook(byClock(-10), byClock(10), {}) },
};

let data: string;
let dev: DevEnvironment;
let proxy: FaultProxy;
let client: Client;
let emailServiceClient: Client;
const views = new Map<string, OnboardingView>();
const problems = new Map<string, unknown>();

beforeAll(async () => {
  data = newDataFolder();
  // The deployment installs the Runtime of its process; the one of the tests was only to keep Workers quiet.
  await Runtime.instance().shutdown();
  dev = await startDevEnvironment({
    dataFolder: data,
    environment: { TEMPORAL_CLI_PATH: await temporalCli(), PATH: process.env['PATH'] },
    report: () => undefined,
    providerProxy: async (target) => {
      const script = Object.entries(stories).flatMap(([account, { faults }]) =>
        faults.map((fault) => ({ ...fault, account })),
      );
      proxy = await startFaultProxy({ target, script });
      return proxy;
    },
  });
  const connection = await Connection.connect({ address: dev.temporal.address });
  client = new Client({ connection, namespace: dev.temporal.namespace });
  emailServiceClient = new Client({ connection, namespace: dev.emailServiceNamespace });
  await Promise.all(
    Object.entries(stories).map(async ([account, story]) => {
      // One story that goes wrong must not hide how the others ended.
      await play(account, story).catch((error: unknown) => problems.set(account, error));
    }),
  );
  onboardedLate.open();
}, STORIES_MS + 60_000);

afterAll(async () => {
  await client.connection.close();
  await dev.stop();
  rmSync(data, { recursive: true, force: true });
}, 60_000);

describe.each(Object.entries(stories))('a tenant that meets %s', (account, { stages = STRAIGHT }) => {
  test('is onboarded, each stage entered once or as often as the provider went back', () => {
    expect(problems.get(account), JSON.stringify(views.get(account), undefined, 2)).toBeUndefined();
    const view = viewOf(account);
    expect(view.failure).toBeNull();
    expect(view.outcome).toBe('onboarded');
    expect(view.onboarding.stages.map(({ stage }) => stage)).toEqual(stages);
    expect(view.onboarding.timesNotVerified).toBe(stages === BACK_ONCE ? 1 : 0);
  });

  test("has one valid key beside sendoff's own, one webhook, one domain, one sender and one email, which arrived once", async () => {
    const { result } = viewOf(account);
    const { operatorToken } = dev.folder.saved;
    const { byStep, emails } = await heldAtService({ url: dev.emailServiceUrl, operatorToken }, account);
    expect({ ...byStep, emails: emails.map(({ id }) => id) }).toEqual({
      issueApiKey: [result?.keyId],
      ownKey: [expect.stringMatching(/^key_/)],
      registerWebhook: [viewOf(account).onboarding.webhookId],
      registerDomain: [result?.domainId],
      createSender: [result?.senderId],
      emails: [result?.emailId],
    });
    const received = dev.world.mail.received().filter(({ to }) => to.includes(`${account}@inbox.test`));
    expect(received.map(({ messageId }) => messageId)).toEqual([
      expect.stringContaining(result?.emailId ?? 'no email id'),
    ]);
  });

  test('met every fault that was scripted for it', () => {
    const met = proxy.calls().filter((recorded) => recorded.account === account && recorded.fault !== undefined);
    const scripted = stories[account]?.faults ?? [];
    const expected = scripted.reduce((sum, fault) => sum + (fault.on === 'call' ? timesOf(account, fault) : 0), 0);
    expect(met).toHaveLength(expected);
    for (const fault of scripted) {
      if (fault.on === 'call') continue;
      expect(proxy.webhooks().some((recorded) => recorded.account === account && recorded.event === fault.event)).toBe(
        true,
      );
    }
  });
});

describe('webhooks', () => {
  test.each(['domain.verified', 'email.delivered'])('a forged %s is refused, and the real one is taken', (event) => {
    const [refused, real] = deliveriesOf('forged-webhooks', event);
    expect(refused).toEqual({ change: 'forged', status: 401 });
    expect([204, 410]).toContain(real?.status);
  });

  test.each(['domain.verified', 'email.delivered'])('%s signed by a wrong clock is refused both ways', (event) => {
    const statuses = deliveriesOf('wrong-clock', event).map(({ status }) => status);
    expect(statuses.slice(0, 2)).toEqual([401, 401]);
    expect([204, 410]).toContain(statuses[2]);
  });

  test('one event is one wake-up, however often it is posted', () => {
    for (const account of ['doubled-webhook', 'replayed-webhook']) {
      const statuses = deliveriesOf(account, 'domain.verified').map(({ status }) => status);
      // 410: a check was earlier, and the onboarding has ended meanwhile.
      expect(statuses.map((status) => (status === 410 ? 204 : status))).toEqual([204, 204, 204]);
      expect(viewOf(account).onboarding.wakeUps).toBeLessThanOrEqual(2);
    }
  });

  test('a webhook after the end is answered that the onboarding has already ended', async () => {
    await happened(() => deliveriesOf('late-webhook', 'email.delivered').length > 0);
    expect(deliveriesOf('late-webhook', 'email.delivered')).toEqual([{ change: 'none', status: 410 }]);
  });

  test('an overtaken webhook arrives after the one that overtook it', async () => {
    await happened(() => deliveriesOf('reordered-webhooks', 'domain.verified').length > 0);
    expect(deliveriesOf('reordered-webhooks', 'email.delivered')).toHaveLength(1);
  });
});

test('repeated creates carry the same Idempotency-Key', () => {
  for (const account of ['lost-answers', 'time-outs', 'resets', 'too-many-requests', 'server-errors']) {
    for (const path of CREATES) {
      const keys = callsOf(account, 'POST', path).map(({ idempotencyKey }) => idempotencyKey);
      // The tenant's key and sendoff's own.
      expect(new Set(keys).size, `${account} ${path}`).toBe(path === '/api-keys' ? 2 : 1);
      expect(keys[0]).toMatch(/^onboarding\//);
    }
  }
});

test('no Event History holds a secret that was issued', async () => {
  const secrets = await issuedSecrets();
  const found: string[] = [];
  let histories = 0;
  for (const { workflow } of [client, emailServiceClient]) {
    for await (const { workflowId, runId } of workflow.list()) {
      const text = textOf(await workflow.getHandle(workflowId, runId).fetchHistory());
      histories += 1;
      for (const [name, secret] of secrets) if (text.includes(secret)) found.push(`${name} in ${workflowId}`);
      if (/so_live_|whsec_|Bearer /.test(text)) found.push(`something like a secret in ${workflowId}`);
      if (workflowId === onboardingWorkflowId('lost-answers')) expect(text).toContain('lost-answers@inbox.test');
    }
  }
  expect(found).toEqual([]);
  // What the email service completes at once has none.
  expect(histories).toBeGreaterThan(Object.keys(stories).length);
});

async function play(account: string, { publishWhen = () => true, meanwhile }: Story): Promise<void> {
  const api = createApiClient({ url: dev.apiUrl, apiToken: dev.folder.saved.apiToken });
  const domain = `${account}.test`;
  await api.put({
    tenantId: account,
    domain,
    fromAddress: `hello@${domain}`,
    firstEmail: { recipient: `${account}@inbox.test`, subject: 'Hello', body: 'It works.' },
  });
  const aside = meanwhile?.(account);
  await happened(async () => {
    const view = await api.get(account);
    const records = view.onboarding.records;
    if (records.length === 0 || !publishWhen(view)) return false;
    dev.world.dns.publish([...domainZone(domain), ...toZoneRecords(records)]);
    return true;
  });
  await happened(async () => {
    const view = await api.get(account);
    views.set(account, view);
    return view.outcome !== 'running';
  });
  await aside;
}

async function happened(condition: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(condition, { timeout: STORIES_MS, interval: 250 });
}

/** Undefined when a poll was quicker: the Update then reports that nothing is left to check, or the Workflow has ended. */
async function checkNow(account: string): Promise<DomainReport | undefined> {
  try {
    return await client.workflow.getHandle(onboardingWorkflowId(account)).executeUpdate(checkNowUpdate);
  } catch (error) {
    const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
    const isRefused = cause instanceof ApplicationFailure && cause.type === 'UpdateRefused';
    if (isRefused || error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** The provider knows and its webhook does not come through: the tenant presses the button. */
async function checkOnceVerified(account: string): Promise<void> {
  await happened(() => proxy.webhooks().some((seen) => seen.account === account && seen.event === 'domain.verified'));
  const report = await checkNow(account);
  if (report !== undefined) expect(report).toMatchObject({ verified: true });
}

const callsOf = (account: string, method: string, path: string) =>
  proxy.calls().filter((seen) => seen.account === account && seen.method === method && seen.path.startsWith(path));

const deliveriesOf = (account: string, event: string) =>
  proxy.webhooks().find((seen) => seen.account === account && seen.event === event)?.deliveries ?? [];

function timesOf(account: string, { method = '', path, when = { first: 1 } }: CallFault): number {
  if (when === 'always') return callsOf(account, method, path.replace(/:.*/, '')).length;
  return 'first' in when ? when.first : 1;
}

function viewOf(account: string): OnboardingView {
  const view = views.get(account);
  if (view === undefined) throw new Error(`${account} was not played`);
  return view;
}

/** Every tenant's token and signing secret, and what the deployment itself keeps. */
async function issuedSecrets(): Promise<[string, string][]> {
  const { saved } = dev.folder;
  const sealer = createSealer([Buffer.from(saved.secretKey, 'base64')]);
  const database = await openDatabase(`file:${dev.folder.inside('sendoff.db')}`);
  const secrets = createSqlSecretStore(database, sealer);
  try {
    const refs = Object.keys(stories).flatMap((account) => [
      apiKeyRef(account),
      ownKeyRef(account),
      signingSecretRef(account),
    ]);
    const issued = await Promise.all(refs.map(async (ref) => [ref, await getIssued(secrets, ref)] as const));
    return [
      ['operatorToken', saved.operatorToken],
      ['apiToken', saved.apiToken],
      ...issued.map(([ref, secret]): [string, string] => [ref, secret?.secret ?? `no secret at ${ref}`]),
    ];
  } finally {
    await database.destroy();
  }
}

/** Everything in it that can be read, the bytes of its payloads too. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(textOf).join('\n');
}

import { Client, ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { sql } from 'kysely';
import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../src/dev/world/dns-server.ts';
import { startMailReceiver, type MailReceiver } from '../../../src/dev/world/mail-receiver.ts';
import { worldZones } from '../../../src/dev/world/world-zones.ts';
import { createAuthoritativeResolver } from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import { emailServiceNames, type EmailServiceNames } from '../../../src/email-service/workflows/email-service-names.ts';
import { databaseNow } from '../../../src/lib/sql/transactions.ts';
import { installationIdOf } from '../../../src/lib/sql/installation-id.ts';
import { startBackground, type RunningBackground } from '../../../src/email-service/background/background.ts';
import { pauseAccount, resumeAccount } from '../../../src/email-service/store/account-pauses.ts';
import type { DomainRecord } from '../../../src/email-service/resources/domain.ts';
import { newId } from '../../../src/email-service/resources/resource-ids.ts';
import {
  addToOutbox,
  deliverEmailStart,
  verifyDomainStart,
  type WorkflowToStart,
} from '../../../src/email-service/store/outbox.ts';
import { OtherNamespaceError } from '../../../src/lib/temporal/recognize-namespace.ts';
import { devServer, temporalCli, type TestServer } from '../../support/temporal.ts';
import { setUpTemporal } from '../../../src/lib/temporal/setup/set-up-temporal.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';
import { startTestReceiver, type TestReceiver } from '../../support/test-receiver.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { defaultRetention } from '../support/default-retention.ts';
import { UNLIMITED } from '../support/unlimited.ts';

/** Longer than the sweep's interval, the longest wait in these tests. */
const SOON = { timeout: 25_000, interval: 100 };

const OTHER_NAMESPACE = 'mail';

let server: TestServer;
let proxy: TcpProxy;
beforeAll(async () => {
  server = await devServer({ searchAttributes: [], otherNamespaces: [OTHER_NAMESPACE] });
  proxy = await startTcpProxy(server.address);
});
afterAll(async () => {
  await proxy.stop();
  await server.stop();
});

let prepared: TestStore;
let dns: DnsServer;
let mailbox: MailReceiver;
let hooks: TestReceiver;
let background: RunningBackground;
let logged: string[];
let names: EmailServiceNames;
beforeEach(async () => {
  prepared = await openTestStore();
  names = emailServiceNames(await installationIdOf(prepared.store));
  dns = await startDnsServer({ zones: worldZones({ tenant: 'acme.test', recipient: 'inbox.test' }) });
  mailbox = await startMailReceiver({ resolvers: [dns.address], hostname: 'mx.inbox.test' });
  hooks = await startTestReceiver((response) => response.writeHead(200).end());
  logged = [];
  background = await backgroundOn(prepared);
});
afterEach(async () => {
  proxy.restore();
  await background.stop();
  await hooks.stop();
  await mailbox.stop();
  await dns.stop();
  await prepared.end();
});

const backgroundOn = (
  { store, sealer }: TestStore,
  {
    allowPrivateAddresses = true,
    blockedNetworks = [],
    namespace = server.namespace,
    singletonsEveryMs = 20_000,
  }: {
    allowPrivateAddresses?: boolean;
    blockedNetworks?: string[];
    namespace?: string;
    singletonsEveryMs?: number;
  } = {},
): Promise<RunningBackground> =>
  startBackground({
    store,
    sealer,
    settings: {
      hostname: 'mail.sendoff.test',
      smtpPort: mailbox.port,
      smtpRelayUrl: undefined,
      allowPrivateAddresses,
      blockedNetworks,
      dnsResolvers: [dns.address],
      retention: defaultRetention,
      pauseBounceRate: 0.1,
      sendingLimits: UNLIMITED,
      release: { version: undefined, heldPatches: [] },
    },
    resolver: createAuthoritativeResolver({ mayAsk: () => true, resolvers: [dns.address], port: dns.port }),
    logger: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
    temporal: { connectionOptions: { address: proxy.address }, namespace },
    databaseUrl: 'the database of the test',
    singletonsEveryMs,
    now: () => new Date(),
    runsWorkers: true,
  });

const owe = (start: WorkflowToStart): Promise<void> =>
  prepared.store.transaction().execute((transaction) => addToOutbox(transaction, [start], new Date()));

const outboxRows = async () => (await prepared.store.selectFrom('outbox').select('workflow_id').execute()).length;
const emailStatus = async (id: string) =>
  (await prepared.store.selectFrom('emails').select('status').where('id', '=', id).executeTakeFirstOrThrow()).status;
const attemptsOf = async (id: string) =>
  (await prepared.store.selectFrom('delivery_attempts').select('number').where('email_id', '=', id).execute()).length;
const summaryOf = async (workflowId: string): Promise<string | undefined> =>
  (await server.environment.client.workflow.getHandle(workflowId).describe()).staticSummary();
const domain = (id = prepared.domainId) =>
  prepared.store.selectFrom('domains').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Unlike the domain of the store, it has no Workflow yet: the first start of the background starts that of every pending domain. */
async function newDomain(name: string): Promise<string> {
  const id = newId('dom');
  const row = await domain();
  const records = row.records.replaceAll('acme.test', name);
  await prepared.store
    .insertInto('domains')
    .values({ ...row, id, name, records, last_checked_at: null })
    .execute();
  return id;
}

async function publishRecords(domainId = prepared.domainId): Promise<void> {
  const records = JSON.parse((await domain(domainId)).records) as DomainRecord[];
  dns.publish(records.map(({ name, type, value }) => ({ name, type, value })));
}

describe('the background of the email service', () => {
  test('verifies the domain, delivers the email and posts both events to the webhook', async () => {
    const { id: webhookId, secret } = await prepared.webhook(['domain.verified', 'email.delivered'], {
      url: `${hooks.url}/hook`,
    });
    const { domainId } = prepared;
    await owe({ workflowType: 'verifyDomain', workflowId: `verify-domain/${domainId}`, input: { domainId } });
    background.dispatchSoon();
    await expect.poll(async () => (await domain()).last_checked_at, SOON).toMatch(/^20.*Z$/);
    expect((await domain()).status).toBe('pending');
    await publishRecords();
    await background.requestDomainCheck(domainId);
    await expect.poll(async () => (await domain()).status, SOON).toBe('verified');

    const emailId = await prepared.email();
    await owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    const received = await mailbox.waitFor(({ messageId }) => messageId.includes(emailId), AbortSignal.timeout(20_000));
    expect(received).toMatchObject({ dkim: 'pass', spf: 'pass', dmarc: 'pass' });
    await expect.poll(() => hooks.posts.length, SOON).toBe(2);
    const told = hooks.posts.map(({ headers, body }) =>
      new Webhook(secret).verify(body, headers as Record<string, string>),
    );
    expect(told).toMatchObject([
      { type: 'domain.verified', data: { id: domainId } },
      { type: 'email.delivered', data: { id: emailId, status: 'delivered' } },
    ]);
    await expect.poll(outboxRows, SOON).toBe(0);

    const posts = (await prepared.events()).map(({ id }) => `deliver-webhook/${id}/${webhookId}`);
    for (const [id, summary] of [
      [`verify-domain/${domainId}`, 'acme: acme.test'],
      [`deliver-email/${emailId}`, 'acme: acme.test to inbox.test'],
    ] as const) {
      expect(await summaryOf(names.workflowId(id))).toBe(summary);
    }
    // What the receiver accepts at once needs no Workflow.
    for (const id of posts) await expect(summaryOf(names.workflowId(id))).rejects.toBeInstanceOf(WorkflowNotFoundError);
    expect(await summaryOf(names.sweepOutboxWorkflowId)).toBe('Outbox of the email service mail.sendoff.test');
  });

  test('makes the first attempt itself: what is accepted has no Workflow, what is deferred one that begins after the pause', async () => {
    const [delivered, deferred] = [await prepared.email(), await prepared.email({ recipient: 'late@inbox.test' })];
    mailbox.refuse({ recipient: 'late@inbox.test', reply: { code: 451, enhanced: '4.7.1', text: 'later' } });
    for (const emailId of [delivered, deferred]) {
      const start = deliverEmailStart(emailId);
      await prepared.store
        .transaction()
        .execute((transaction) => addToOutbox(transaction, [start], new Date(), { claimed: true }));
      background.begin({ start, accountId: prepared.accountId, destination: 'inbox.test' });
    }
    await expect.poll(() => emailStatus(delivered), SOON).toBe('delivered');
    await expect.poll(outboxRows, SOON).toBe(0);
    const { workflow } = server.environment.client;
    await expect(workflow.getHandle(names.workflowId(`deliver-email/${delivered}`)).describe()).rejects.toBeInstanceOf(
      WorkflowNotFoundError,
    );
    const { startTime, executionTime } = await workflow
      .getHandle(names.workflowId(`deliver-email/${deferred}`))
      .describe();
    const pauseMs = (executionTime?.getTime() ?? 0) - startTime.getTime();
    expect(pauseMs).toBeGreaterThan(45_000);
    expect(await attemptsOf(deferred)).toBe(1);
  });

  test('starts no Workflow for what waits until its account is resumed, but one for what expires', async () => {
    const { store, accountId } = prepared;
    const [waits, expires] = [await prepared.email(), await prepared.email()];
    await pauseAccount(store, { accountId, by: 'default', reason: 'spam', now: new Date(), claimed: false });
    await owe(deliverEmailStart(waits));
    background.dispatchSoon();
    const held = store.selectFrom('outbox').select(['workflow_id', 'created_at']).where('claimed_until', '>', 0);
    await expect.poll(() => held.execute(), SOON).toHaveLength(1);
    await store
      .updateTable('emails')
      .set({ expires_at: new Date(0).toISOString() })
      .where('id', '=', expires)
      .execute();
    await owe(deliverEmailStart(expires));
    background.dispatchSoon();
    await expect.poll(() => emailStatus(expires), SOON).toBe('bounced');
    expect(await held.execute()).toMatchObject([{ workflow_id: `deliver-email/${waits}` }]);
    const { workflow } = server.environment.client;
    await expect(workflow.getHandle(names.workflowId(`deliver-email/${waits}`)).describe()).rejects.toBeInstanceOf(
      WorkflowNotFoundError,
    );

    await resumeAccount(store, { accountId, by: 'default', reason: 'clean', now: new Date(), claimed: false });
    await store.updateTable('outbox').set({ claimed_until: 0 }).execute();
    background.dispatchSoon();
    await expect.poll(() => emailStatus(waits), SOON).toBe('delivered');
  });

  test('makes the first check of a domain itself: what is verified has no Workflow, what is not one that begins after the pause', async () => {
    const { workflow } = server.environment.client;
    const firstCheckOf = async (domainId: string) => {
      const start = verifyDomainStart(domainId);
      await prepared.store
        .transaction()
        .execute((transaction) => addToOutbox(transaction, [start], new Date(), { claimed: true }));
      background.begin({ start, accountId: prepared.accountId, destination: 'acme.test' });
      await expect.poll(outboxRows, SOON).toBe(0);
      return workflow.getHandle(names.workflowId(start.workflowId));
    };
    const published = await newDomain('published.acme.test');
    await publishRecords(published);
    const verified = await firstCheckOf(published);
    expect((await domain(published)).status).toBe('verified');
    await expect(verified.describe()).rejects.toBeInstanceOf(WorkflowNotFoundError);

    const unpublished = await newDomain('unpublished.acme.test');
    const pending = await firstCheckOf(unpublished);
    expect((await domain(unpublished)).last_checked_at).toMatch(/^20.*Z$/);
    const { startTime, executionTime } = await pending.describe();
    expect((executionTime?.getTime() ?? 0) - startTime.getTime()).toBeGreaterThan(3_000);
  });

  test('checks a domain on request before its Workflow is due', async () => {
    const domainId = await newDomain('new.acme.test');
    await owe(verifyDomainStart(domainId));
    await prepared.store
      .updateTable('outbox')
      .set({ not_before: sql<number>`${databaseNow(prepared.store)} + 3600000` })
      .execute();
    background.dispatchSoon();
    await expect.poll(outboxRows, SOON).toBe(0);
    expect((await domain(domainId)).last_checked_at).toBeNull();
    await publishRecords(domainId);
    await background.requestDomainCheck(domainId);
    await expect.poll(async () => (await domain(domainId)).status, SOON).toBe('verified');
  });

  test.each([
    ['a private address of a mail server or a webhook, unless its settings allow it', { allowPrivateAddresses: false }],
    ['one in a blocked network, also if its settings allow private ones', { blockedNetworks: ['127.0.0.0/8', '::1'] }],
  ])('does not connect to %s', async (_, addresses) => {
    await background.stop();
    background = await backgroundOn(prepared, addresses);
    await prepared.webhook(['email.bounced'], { url: `https://localhost:${String(hooks.port)}/hook` });
    const emailId = await prepared.email();
    await owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    await expect.poll(() => emailStatus(emailId), SOON).toBe('bounced');
    const postError = async () =>
      (await prepared.store.selectFrom('webhook_deliveries').select('last_error').executeTakeFirst())?.last_error;
    await expect.poll(postError, SOON).toContain('the host has no public address');
    expect([mailbox.received(), hooks.connections()]).toEqual([[], 0]);
  });

  test('checks a verified domain when it is due, again and again while it lacks a record, and recovers it', async () => {
    const { domainId, store } = prepared;
    await publishRecords();
    await background.requestDomainCheck(domainId);
    const workflow = server.environment.client.workflow.getHandle(names.workflowId(`verify-domain/${domainId}`));
    await expect.poll(async () => (await workflow.describe()).status.name, SOON).toBe('COMPLETED');
    dns.withdraw('k1._domainkey.acme.test', 'TXT');
    await store.updateTable('domains').set({ next_check_at: new Date().toISOString() }).execute();
    // Two sweeps.
    await expect.poll(async () => (await domain()).status, SOON).toBe('temporary_failure');
    await expect.poll(async () => (await workflow.describe()).status.name, SOON).toBe('RUNNING');
    await publishRecords();
    await background.requestDomainCheck(domainId);
    await expect.poll(async () => (await domain()).status, SOON).toBe('verified');
    expect((await prepared.events()).map(({ type }) => type)).toEqual([
      'domain.verified',
      'domain.drifted',
      'domain.recovered',
    ]);
  });

  test('checks a domain again whose Workflow has ended', async () => {
    await publishRecords();
    const { domainId } = prepared;
    await background.requestDomainCheck(domainId);
    await expect.poll(async () => (await domain()).status, SOON).toBe('verified');
    const { client } = server.environment;
    expect(await client.workflow.getHandle(names.workflowId(`verify-domain/${domainId}`)).result()).toEqual({
      domainId,
      outcome: 'verified',
    });
    const { last_checked_at } = await domain();
    await background.requestDomainCheck(domainId);
    await expect.poll(async () => (await domain()).last_checked_at, SOON).not.toBe(last_checked_at);
  });

  test('is ready while Temporal is reachable', async () => {
    expect(await background.readiness()).toEqual([]);
    proxy.cut();
    expect(await background.readiness()).toEqual(['Temporal is unreachable']);
    proxy.restore();
    await expect.poll(() => background.readiness(), SOON).toEqual([]);
  });
});

describe('what the email service runs once', () => {
  test('is reported while it is missing, and created again; a paused Schedule stays paused', async () => {
    const { workflow, schedule } = server.environment.client;
    await background.stop();
    background = await backgroundOn(prepared, { singletonsEveryMs: 2_000 });
    const sweep = workflow.getHandle(names.sweepOutboxWorkflowId);
    const { runId } = await sweep.describe();
    await sweep.terminate('by an operator');
    expect(await background.readiness()).toEqual([
      `The Workflow ${names.sweepOutboxWorkflowId} does not run in the Namespace ${server.namespace}`,
    ]);
    await expect.poll(() => background.readiness(), SOON).toEqual([]);
    expect((await sweep.describe()).runId).not.toBe(runId);

    const retention = schedule.getHandle(names.retentionScheduleId);
    await retention.delete();
    expect(await background.readiness()).toEqual([
      `The Schedule ${names.retentionScheduleId} does not exist in the Namespace ${server.namespace}`,
    ]);
    await expect.poll(() => background.readiness(), SOON).toEqual([]);

    await retention.pause('maintenance');
    const { info } = await retention.describe();
    await sweep.terminate('by an operator');
    await expect.poll(() => background.readiness(), SOON).toEqual([]);
    expect((await retention.describe()).state).toMatchObject({ paused: true, note: 'maintenance' });
    expect((await retention.describe()).info.lastUpdatedAt).toEqual(info.lastUpdatedAt);
    expect(logged.join()).toContain('it was created again');
  });

  test('is not created in a Namespace that was deleted and created again, which is reported and refused', async () => {
    await background.stop();
    const namespace = 'recreated';
    const { connection } = server.environment;
    const create = () => setUpTemporal({ connection, address: server.address, namespace, searchAttributes: [] });
    await create();
    const moved = await openTestStore();
    const own = emailServiceNames(await installationIdOf(moved.store));
    const running = await backgroundOn(moved, { namespace, singletonsEveryMs: 500 });
    try {
      expect(await running.readiness()).toEqual([]);
      await connection.operatorService.deleteNamespace({ namespace });
      // The server frees the name a moment later.
      await vi.waitFor(create, SOON);
      await expect
        .poll(() => running.readiness(), SOON)
        .toEqual([`The Namespace ${namespace} is not the one of the database`]);
      await expect.poll(() => logged.join(), SOON).toContain('cannot see to what runs once');
      const { workflow } = new Client({ connection, namespace });
      // The server answers for a while from what it remembers of the deleted one.
      const found = () =>
        workflow
          .getHandle(own.sweepOutboxWorkflowId)
          .describe()
          .catch((error: unknown) => error);
      await expect.poll(found, SOON).toBeInstanceOf(WorkflowNotFoundError);
      const refusal = await backgroundOn(moved, { namespace }).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(OtherNamespaceError);
      expect(String(refusal)).toContain('not to another one of that name');
      expect(String(refusal)).toContain('sendoff store use-namespace --only email-service');
    } finally {
      await running.stop();
      await moved.end();
    }
    background = await backgroundOn(prepared);
  }, 60_000);
});

describe('two email services in one Namespace', () => {
  test('each deliver only their own emails', async () => {
    const other = await openTestStore();
    const otherBackground = await backgroundOn(other);
    try {
      const sent: string[] = [];
      for (let round = 0; round < 10; round += 1) {
        for (const installation of [prepared, other]) {
          const emailId = await installation.email();
          sent.push(emailId);
          await installation.store
            .transaction()
            .execute((transaction) => addToOutbox(transaction, [deliverEmailStart(emailId)], new Date()));
        }
      }
      background.dispatchSoon();
      otherBackground.dispatchSoon();
      for (const { store } of [prepared, other]) {
        const statuses = async () =>
          (await store.selectFrom('emails').select('status').execute()).map(({ status }) => status);
        await expect.poll(statuses, SOON).toEqual(Array(10).fill('delivered'));
      }
      expect(mailbox.received()).toHaveLength(sent.length);
    } finally {
      await otherBackground.stop();
      await other.end();
    }
  });

  test('retry the Workflow of an email whose database was replaced, visibly', async () => {
    const gone = await prepared.email();
    const { client } = server.environment;
    const handle = await client.workflow.start('deliverEmail', {
      workflowId: names.workflowId(`deliver-email/${gone}-gone`),
      taskQueue: names.taskQueue,
      args: [{ emailId: `${gone}-gone` }],
    });
    const pendingFailure = async () =>
      (await handle.describe()).raw.pendingActivities?.[0]?.lastFailure?.applicationFailureInfo?.type;
    await expect.poll(pendingFailure, SOON).toBe('UnknownId');
    expect((await handle.describe()).status.name).toBe('RUNNING');
    await handle.terminate();
  });
});

describe('the outbox', () => {
  test('keeps rows that Temporal has not acknowledged, and the sweep starts them when Temporal is back', async () => {
    // The start adds the pending domain's Workflow.
    await expect.poll(outboxRows, SOON).toBe(0);
    proxy.cut();
    const emailId = await prepared.email();
    await owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    await expect.poll(() => logged.some((line) => line.includes('its outbox row stays')), SOON).toBe(true);
    // One line with the cause, for all rows and attempts.
    for (let index = 0; index < 30; index++) await owe(deliverEmailStart(await prepared.email()));
    background.dispatchSoon();
    await expect(background.requestDomainCheck(prepared.domainId)).rejects.toThrow();
    const warnings = logged.filter((line) => line.includes('its outbox row stays'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/UNAVAILABLE|ECONN|transport|Deadline/i);
    expect(await outboxRows()).toBe(31);
    proxy.restore();
    await expect.poll(() => emailStatus(emailId), { timeout: 60_000, interval: 200 }).toBe('delivered');
    await expect.poll(outboxRows, SOON).toBe(0);
  }, 90_000);

  test('is swept for rows of a process that died before it started their Workflow', async () => {
    const emailId = await prepared.email();
    await owe(deliverEmailStart(emailId));
    await expect.poll(() => emailStatus(emailId), SOON).toBe('delivered');
  });

  test('deletes the row of a Workflow that already exists, without starting it twice', async () => {
    const emailId = await prepared.email();
    await owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    await expect.poll(() => emailStatus(emailId), SOON).toBe('delivered');
    await expect.poll(outboxRows, SOON).toBe(0);
    const handle = server.environment.client.workflow.getHandle(names.workflowId(`deliver-email/${emailId}`));
    await handle.result();
    const { runId } = await handle.describe();
    await owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    await expect.poll(outboxRows, SOON).toBe(0);
    expect((await handle.describe()).runId).toBe(runId);
    expect(mailbox.received()).toHaveLength(1);
  });

  test('starts a burst of fifty emails, each exactly once', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => prepared.email()));
    await Promise.all(
      ids.map(async (id) => {
        await owe(deliverEmailStart(id));
        background.dispatchSoon();
      }),
    );
    await expect.poll(() => mailbox.received().length, { timeout: 40_000, interval: 200 }).toBe(50);
    await expect.poll(outboxRows, SOON).toBe(0);
    expect(new Set(mailbox.received().map(({ messageId }) => messageId)).size).toBe(50);
  });

  test('does not let rows that cannot be started hold up the others', async () => {
    const bad = Array.from({ length: 45 }, (_, index) => `${'x'.repeat(2_000)}${String(index)}`);
    for (const workflowId of bad) await owe({ workflowType: 'deliverEmail', workflowId, input: {} });
    const emailId = await prepared.email();
    await owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    await expect.poll(() => emailStatus(emailId), SOON).toBe('delivered');
    const left = await prepared.store.selectFrom('outbox').select('workflow_id').execute();
    expect(left.map(({ workflow_id }) => workflow_id).sort()).toEqual(bad.sort());
  });
});

describe('the Schedule of the retention', () => {
  test('removes emails that ended long ago, and reports how many rows of each kind', async () => {
    const longAgo = new Date(Date.now() - 91 * 86_400_000).toISOString();
    await prepared.email({ status: 'delivered', delivered_at: longAgo, expires_at: longAgo });
    const kept = await prepared.email({ status: 'delivered', delivered_at: longAgo });
    const schedule = server.environment.client.schedule.getHandle(names.retentionScheduleId);
    await schedule.trigger();
    const emails = async () => (await prepared.store.selectFrom('emails').select('id').execute()).map(({ id }) => id);
    await expect.poll(emails, SOON).toEqual([kept]);
    const [run] = (await schedule.describe()).info.recentActions;
    expect(await server.environment.client.workflow.getHandle(run?.action.workflow.workflowId ?? '').result()).toEqual({
      ...{ attachments: 0, emailContents: 1, emails: 1, events: 0, idempotencyKeys: 0 },
      ...{ senders: 0, domains: 0, webhooks: 0, apiKeys: 0, expiredApiKeys: 0, mtaStsPolicies: 0 },
    });
  });
});

describe('an email service whose Namespace is changed', () => {
  const inOther = (id: string) => {
    const { connection } = server.environment.client;
    return new Client({ connection, namespace: OTHER_NAMESPACE }).workflow.getHandle(names.workflowId(id));
  };
  const refusalOf = (namespace: string): Promise<unknown> =>
    backgroundOn(prepared, { namespace }).then(
      () => undefined,
      (error: unknown) => error,
    );
  /** What the refusal prints, as an operator runs it. */
  async function runCommandOf(refusal: Error): Promise<void> {
    const command =
      refusal.message
        .split('\n')
        .at(-1)
        ?.trim()
        .replace(/^temporal/, `'${await temporalCli()}'`) ?? '';
    await promisify(exec)(`${command} --address ${server.address}`);
  }
  const moveTo = async (namespace: string): Promise<void> => {
    await background.stop();
    const refusal = await refusalOf(namespace);
    expect(refusal).toBeInstanceOf(OtherNamespaceError);
    await runCommandOf(refusal as Error);
    const isRefused = async () => {
      const started = await backgroundOn(prepared, { namespace }).catch((error: unknown) => error);
      if (started instanceof OtherNamespaceError) return true;
      background = started as RunningBackground;
      return false;
    };
    // The server ends the Workflows of a query some time after the command.
    await expect.poll(isRefused, SOON).toBe(false);
  };

  test('refuses to leave its Workflows, and continues each in the new Namespace once they have been ended', async () => {
    const { id: webhookId } = await prepared.webhook(['email.delivered'], { url: `${hooks.url}/hook` });
    const done = await prepared.email();
    await owe(deliverEmailStart(done));
    background.dispatchSoon();
    await expect.poll(() => emailStatus(done), SOON).toBe('delivered');
    await expect.poll(() => hooks.posts.length, SOON).toBe(1);

    mailbox.refuse({ recipient: /./, reply: { code: 451, enhanced: '4.3.0', text: 'later' }, times: 1 });
    const deferred = await prepared.email();
    await owe(deliverEmailStart(deferred));
    await owe(verifyDomainStart(prepared.domainId));
    background.dispatchSoon();
    await expect.poll(() => attemptsOf(deferred), SOON).toBe(1);
    await expect.poll(async () => (await domain()).last_checked_at, SOON).toMatch(/^20.*Z$/);

    await moveTo(OTHER_NAMESPACE);
    const oldSchedule = server.environment.client.schedule.getHandle(names.retentionScheduleId);
    await expect(oldSchedule.describe()).rejects.toThrow(ScheduleNotFoundError);
    await expect.poll(() => emailStatus(deferred), SOON).toBe('delivered');
    expect(await inOther(`deliver-email/${deferred}`).result()).toEqual({ emailId: deferred, outcome: 'delivered' });
    expect((await inOther(`verify-domain/${prepared.domainId}`).describe()).status.name).toBe('RUNNING');
    await expect(inOther(`deliver-email/${done}`).describe()).rejects.toThrow(WorkflowNotFoundError);
    await expect.poll(() => hooks.posts.length, SOON).toBe(2);
    expect(mailbox.received()).toHaveLength(2);

    // Back again: what was ended there continues, what had completed does not.
    await moveTo(server.namespace);
    const { client } = server.environment;
    const verification = client.workflow.getHandle(names.workflowId(`verify-domain/${prepared.domainId}`));
    await expect.poll(async () => (await verification.describe()).status.name, SOON).toBe('RUNNING');
    await expect.poll(outboxRows, SOON).toBe(0);
    expect([mailbox.received().length, hooks.posts.length, webhookId]).toEqual([2, 2, webhookId]);
  }, 90_000);
});

describe('an unexpected error', () => {
  test('enters the Event History only by name', async () => {
    const emailId = await prepared.email();
    await prepared.store.updateTable('domains').set({ sealed_dkim_private_key: 'v1.c2VjcmV0LW1hdGVyaWFs' }).execute();
    await owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    const handle = server.environment.client.workflow.getHandle(names.workflowId(`deliver-email/${emailId}`));
    const pendingFailure = async () => {
      const { raw } = await handle.describe().catch(() => ({ raw: undefined }));
      return raw?.pendingActivities?.[0]?.lastFailure?.message;
    };
    await expect
      .poll(pendingFailure, SOON)
      .toBe("attemptDelivery failed unexpectedly with UnsealError; the Worker's log has the details");
    expect(logged.join()).toContain('cannot open the secret');
    expect(logged.join()).not.toContain('c2VjcmV0LW1hdGVyaWFs');
    await handle.terminate();
  });
});

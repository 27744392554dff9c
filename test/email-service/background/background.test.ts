import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../src/dev/world/dns-server.ts';
import { startMailReceiver, type MailReceiver } from '../../../src/dev/world/mail-receiver.ts';
import { worldZones } from '../../../src/dev/world/world-zones.ts';
import { createAuthoritativeResolver } from '../../../src/lib/dns/resolver/authoritative-resolver.ts';
import { emailServiceNames, type EmailServiceNames } from '../../../src/email-service/workflows/email-service-names.ts';
import { installationIdOf } from '../../../src/lib/sql/installation-id.ts';
import { startBackground, type RunningBackground } from '../../../src/email-service/background/background.ts';
import type { DomainRecord } from '../../../src/email-service/resources/domain.ts';
import { addToOutbox, deliverEmailStart, type WorkflowToStart } from '../../../src/email-service/store/outbox.ts';
import { devServer, type TestServer } from '../../support/temporal.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';
import { startTestReceiver, type TestReceiver } from '../../support/test-receiver.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

/** Longer than the sweep's interval, the longest wait in these tests. */
const SOON = { timeout: 25_000, interval: 100 };

let server: TestServer;
let proxy: TcpProxy;
beforeAll(async () => {
  server = await devServer({ searchAttributes: [] });
  proxy = await startTcpProxy(server.address);
});
afterAll(async () => {
  await proxy.stop();
  await server.stop();
});

let test: TestStore;
let dns: DnsServer;
let mailbox: MailReceiver;
let hooks: TestReceiver;
let background: RunningBackground;
let logged: string[];
let names: EmailServiceNames;
beforeEach(async () => {
  test = await openTestStore();
  names = emailServiceNames(await installationIdOf(test.store));
  dns = await startDnsServer({ zones: worldZones({ tenant: 'acme.test', recipient: 'inbox.test' }) });
  mailbox = await startMailReceiver({ resolvers: [dns.address], hostname: 'mx.inbox.test' });
  hooks = await startTestReceiver((response) => response.writeHead(200).end());
  logged = [];
  background = await backgroundOn(test);
});
afterEach(async () => {
  proxy.mend();
  await background.stop();
  await hooks.stop();
  await mailbox.stop();
  await dns.stop();
  await test.end();
});

const backgroundOn = (
  { store, sealer }: TestStore,
  { allowPrivateAddresses } = { allowPrivateAddresses: true },
): Promise<RunningBackground> =>
  startBackground({
    store,
    sealer,
    settings: {
      hostname: 'mail.sendoff.test',
      smtpPort: mailbox.port,
      smtpRelayUrl: undefined,
      allowPrivateAddresses,
      dnsResolvers: [dns.address],
    },
    resolver: createAuthoritativeResolver({ mayAsk: () => true, resolvers: [dns.address], port: dns.port }),
    logger: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
    temporal: { connectionOptions: { address: proxy.address }, namespace: server.namespace },
    now: () => new Date(),
  });

const owe = (start: WorkflowToStart): Promise<void> =>
  test.store.transaction().execute((transaction) => addToOutbox(transaction, start, new Date()));

const outboxRows = async () => (await test.store.selectFrom('outbox').select('workflow_id').execute()).length;
const emailStatus = async (id: string) =>
  (await test.store.selectFrom('emails').select('status').where('id', '=', id).executeTakeFirstOrThrow()).status;
const domain = () => test.store.selectFrom('domains').selectAll().executeTakeFirstOrThrow();

async function publishRecords(): Promise<void> {
  const records = JSON.parse((await domain()).records) as DomainRecord[];
  dns.publish(records.map(({ name, type, value }) => ({ name, type, value })));
}

describe('the background of the email service', () => {
  it('verifies the domain, delivers the email and posts both events to the webhook', async () => {
    const { secret } = await test.webhook(['domain.verified', 'email.delivered'], { url: `${hooks.url}/hook` });
    const { domainId } = test;
    await owe({ workflowType: 'verifyDomain', workflowId: `verify-domain/${domainId}`, input: { domainId } });
    background.dispatchSoon();
    await expect.poll(async () => (await domain()).last_checked_at, SOON).not.toBeNull();
    expect((await domain()).status).toBe('pending');
    await publishRecords();
    await background.requestDomainCheck(domainId);
    await expect.poll(async () => (await domain()).status, SOON).toBe('verified');

    const emailId = await test.email();
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
  });

  it('connects to no private address of a mail server or a webhook, unless its settings allow it', async () => {
    await background.stop();
    background = await backgroundOn(test, { allowPrivateAddresses: false });
    await test.webhook(['email.bounced'], { url: `https://localhost:${String(hooks.port)}/hook` });
    const emailId = await test.email();
    await owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    await expect.poll(() => emailStatus(emailId), SOON).toBe('bounced');
    const postError = async () =>
      (await test.store.selectFrom('webhook_deliveries').select('last_error').executeTakeFirst())?.last_error;
    await expect.poll(postError, SOON).toContain('the host has no public address');
    expect([mailbox.received(), hooks.connections()]).toEqual([[], 0]);
  });

  it('checks a domain again whose Workflow has ended', async () => {
    await publishRecords();
    const { domainId } = test;
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

  it('is ready while Temporal is reachable', async () => {
    expect(await background.readiness()).toBe('ready');
    proxy.cut();
    expect(await background.readiness()).toBe('unreachable');
    proxy.mend();
    await expect.poll(() => background.readiness(), SOON).toBe('ready');
  });
});

describe('two email services in one Namespace', () => {
  it('each deliver only their own emails', async () => {
    const other = await openTestStore();
    const otherBackground = await backgroundOn(other);
    try {
      const sent: string[] = [];
      for (let round = 0; round < 10; round += 1) {
        for (const installation of [test, other]) {
          const emailId = await installation.email();
          sent.push(emailId);
          await installation.store
            .transaction()
            .execute((transaction) => addToOutbox(transaction, deliverEmailStart(emailId), new Date()));
        }
      }
      background.dispatchSoon();
      otherBackground.dispatchSoon();
      for (const { store } of [test, other]) {
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

  it('retry the Workflow of an email whose database was replaced, visibly', async () => {
    const gone = await test.email();
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
  it('keeps rows that Temporal has not acknowledged, and the sweep starts them when Temporal is back', async () => {
    proxy.cut();
    const emailId = await test.email();
    await owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    await expect.poll(() => logged.some((line) => line.includes('its outbox row stays')), SOON).toBe(true);
    // One line with the cause, for all rows and attempts.
    for (let index = 0; index < 30; index++) await owe(deliverEmailStart(await test.email()));
    background.dispatchSoon();
    await expect(background.requestDomainCheck(test.domainId)).rejects.toThrow();
    const warnings = logged.filter((line) => line.includes('its outbox row stays'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/UNAVAILABLE|ECONN|transport|Deadline/i);
    expect(await outboxRows()).toBe(31);
    proxy.mend();
    await expect.poll(() => emailStatus(emailId), { timeout: 60_000, interval: 200 }).toBe('delivered');
    await expect.poll(outboxRows, SOON).toBe(0);
  }, 90_000);

  it('is swept for rows of a process that died before it started their Workflow', async () => {
    const emailId = await test.email();
    await owe(deliverEmailStart(emailId));
    await expect.poll(() => emailStatus(emailId), SOON).toBe('delivered');
  });

  it('deletes the row of a Workflow that already exists, without starting it twice', async () => {
    const emailId = await test.email();
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

  it('starts a burst of fifty emails, each exactly once', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => test.email()));
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

  it('does not let rows that cannot be started hold up the others', async () => {
    const bad = Array.from({ length: 45 }, (_, index) => `${'x'.repeat(2_000)}${String(index)}`);
    for (const workflowId of bad) await owe({ workflowType: 'deliverEmail', workflowId, input: {} });
    const emailId = await test.email();
    await owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    await expect.poll(() => emailStatus(emailId), SOON).toBe('delivered');
    const left = await test.store.selectFrom('outbox').select('workflow_id').execute();
    expect(left.map(({ workflow_id }) => workflow_id).sort()).toEqual(bad.sort());
  });
});

describe('an unexpected error', () => {
  it('enters the Event History only by name', async () => {
    const emailId = await test.email();
    await test.store.updateTable('domains').set({ sealed_dkim_private_key: 'v1.c2VjcmV0LW1hdGVyaWFs' }).execute();
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

import { WorkflowNotFoundError } from '@temporalio/client';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { databaseNow } from '../../../src/lib/sql/transactions.ts';
import { pauseAccount, resumeAccount } from '../../../src/email-service/store/account-pauses.ts';
import { deliverEmailStart, verifyDomainStart } from '../../../src/email-service/store/outbox.ts';
import {
  SOON,
  server,
  proxy,
  prepared,
  mailbox,
  hooks,
  background,
  logged,
  names,
  backgroundOn,
  replaceBackground,
  outboxRows,
  emailStatus,
  attemptsOf,
  workflowOf,
  domain,
  newDomain,
  publishRecords,
  useBackground,
} from './running-background.ts';

useBackground();

describe('the background of the email service', () => {
  test('verifies the domain, delivers the email and posts both events to the webhook', async () => {
    const { id: webhookId, secret } = await prepared.webhook(['domain.verified', 'email.delivered'], {
      url: `${hooks.url}/hook`,
    });
    const { domainId } = prepared;
    await prepared.owe({ workflowType: 'verifyDomain', workflowId: `verify-domain/${domainId}`, input: { domainId } });
    background.dispatchSoon();
    await expect.poll(async () => (await domain()).last_checked_at, SOON).toMatch(/^20.*Z$/);
    expect((await domain()).status).toBe('pending');
    await publishRecords();
    await background.requestDomainCheck(domainId);
    await expect.poll(async () => (await domain()).status, SOON).toBe('verified');

    const emailId = await prepared.email();
    await prepared.owe(deliverEmailStart(emailId));
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
      expect(await (await workflowOf(id).describe()).staticSummary()).toBe(summary);
    }
    // What the receiver accepts at once needs no Workflow.
    for (const id of posts) await expect(workflowOf(id).describe()).rejects.toBeInstanceOf(WorkflowNotFoundError);
    const sweep = server.environment.client.workflow.getHandle(names.sweepOutboxWorkflowId);
    expect(await (await sweep.describe()).staticSummary()).toBe('Outbox of the email service mail.sendoff.test');
  });

  test('makes the first attempt itself: what is accepted has no Workflow, what is deferred one that begins after the pause', async () => {
    const [delivered, deferred] = [await prepared.email(), await prepared.email({ recipient: 'late@inbox.test' })];
    mailbox.refuse({ recipient: 'late@inbox.test', reply: { code: 451, enhanced: '4.7.1', text: 'later' } });
    for (const emailId of [delivered, deferred]) {
      const start = deliverEmailStart(emailId);
      await prepared.owe(start, { claimed: true });
      background.begin({ start, accountId: prepared.accountId, destination: 'inbox.test' });
    }
    await expect.poll(() => emailStatus(delivered), SOON).toBe('delivered');
    await expect.poll(outboxRows, SOON).toBe(0);
    await expect(workflowOf(`deliver-email/${delivered}`).describe()).rejects.toBeInstanceOf(WorkflowNotFoundError);
    const { startTime, executionTime } = await workflowOf(`deliver-email/${deferred}`).describe();
    const pauseMs = (executionTime?.getTime() ?? 0) - startTime.getTime();
    expect(pauseMs).toBeGreaterThan(45_000);
    expect(await attemptsOf(deferred)).toBe(1);
  });

  test('starts no Workflow for what waits until its account is resumed, but one for what expires', async () => {
    const { store, accountId } = prepared;
    const [waits, expires] = [await prepared.email(), await prepared.email()];
    await pauseAccount(store, { accountId, by: 'default', reason: 'spam', now: new Date(), claimed: false });
    await prepared.owe(deliverEmailStart(waits));
    background.dispatchSoon();
    const held = store.selectFrom('outbox').select(['workflow_id', 'created_at']).where('claimed_until', '>', 0);
    await expect.poll(() => held.execute(), SOON).toHaveLength(1);
    await store
      .updateTable('emails')
      .set({ expires_at: new Date(0).toISOString() })
      .where('id', '=', expires)
      .execute();
    await prepared.owe(deliverEmailStart(expires));
    background.dispatchSoon();
    await expect.poll(() => emailStatus(expires), SOON).toBe('bounced');
    expect(await held.execute()).toMatchObject([{ workflow_id: `deliver-email/${waits}` }]);
    await expect(workflowOf(`deliver-email/${waits}`).describe()).rejects.toBeInstanceOf(WorkflowNotFoundError);

    await resumeAccount(store, { accountId, by: 'default', reason: 'clean', now: new Date(), claimed: false });
    await store.updateTable('outbox').set({ claimed_until: 0 }).execute();
    background.dispatchSoon();
    await expect.poll(() => emailStatus(waits), SOON).toBe('delivered');
  });

  test('makes the first check of a domain itself: what is verified has no Workflow, what is not one that begins after the pause', async () => {
    const firstCheckOf = async (domainId: string) => {
      const start = verifyDomainStart(domainId);
      await prepared.owe(start, { claimed: true });
      background.begin({ start, accountId: prepared.accountId, destination: 'acme.test' });
      await expect.poll(outboxRows, SOON).toBe(0);
      return workflowOf(start.workflowId);
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
    await prepared.owe(verifyDomainStart(domainId));
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
    replaceBackground(await backgroundOn(prepared, addresses));
    await prepared.webhook(['email.bounced'], { url: `https://localhost:${String(hooks.port)}/hook` });
    const emailId = await prepared.email();
    await prepared.owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    await expect.poll(() => emailStatus(emailId), SOON).toBe('bounced');
    const postError = async () =>
      (await prepared.store.selectFrom('webhook_deliveries').select('last_error').executeTakeFirst())?.last_error;
    await expect.poll(postError, SOON).toContain('the host has no public address');
    expect([mailbox.received(), hooks.connections()]).toEqual([[], 0]);
  });

  test('checks a domain again whose Workflow has ended', async () => {
    await publishRecords();
    const { domainId } = prepared;
    await background.requestDomainCheck(domainId);
    await expect.poll(async () => (await domain()).status, SOON).toBe('verified');
    expect(await workflowOf(`verify-domain/${domainId}`).result()).toEqual({ domainId, outcome: 'verified' });
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

describe('the outbox', () => {
  test('is swept for rows of a process that died before it started their Workflow', async () => {
    const emailId = await prepared.email();
    await prepared.owe(deliverEmailStart(emailId));
    await expect.poll(() => emailStatus(emailId), SOON).toBe('delivered');
  });

  test('does not let rows that cannot be started hold up the others', async () => {
    const bad = Array.from({ length: 45 }, (_, index) => `${'x'.repeat(2_000)}${String(index)}`);
    for (const workflowId of bad) await prepared.owe({ workflowType: 'deliverEmail', workflowId, input: {} });
    const emailId = await prepared.email();
    await prepared.owe(deliverEmailStart(emailId));
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

describe('an unexpected error', () => {
  test('enters the Event History only by name', async () => {
    const emailId = await prepared.email();
    await prepared.store.updateTable('domains').set({ sealed_dkim_private_key: 'v1.c2VjcmV0LW1hdGVyaWFs' }).execute();
    await prepared.owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    const handle = workflowOf(`deliver-email/${emailId}`);
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

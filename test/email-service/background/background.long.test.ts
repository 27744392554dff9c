import { Client, ScheduleNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { emailServiceNames } from '../../../src/email-service/workflows/email-service-names.ts';
import { installationIdOf } from '../../../src/lib/sql/installation-id.ts';
import { type RunningBackground } from '../../../src/email-service/background/background.ts';
import { deliverEmailStart, verifyDomainStart } from '../../../src/email-service/store/outbox.ts';
import { OtherNamespaceError } from '../../../src/lib/temporal/recognize-namespace.ts';
import { temporalCli } from '../../support/temporal.ts';
import { setUpTemporal } from '../../../src/lib/temporal/setup/set-up-temporal.ts';
import { openTestStore } from '../support/test-store.ts';
import {
  SOON,
  OTHER_NAMESPACE,
  server,
  proxy,
  prepared,
  dns,
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
  publishRecords,
  useBackground,
} from './running-background.ts';

useBackground();

describe('the background of the email service', () => {
  test('checks a verified domain when it is due, again and again while it lacks a record, and recovers it', async () => {
    const { domainId, store } = prepared;
    await publishRecords();
    await background.requestDomainCheck(domainId);
    const workflow = workflowOf(`verify-domain/${domainId}`);
    await expect.poll(async () => (await workflow.describe()).status.name, SOON).toBe('COMPLETED');
    dns.withdraw('k1._domainkey.acme.test', 'TXT');
    await store.updateTable('domains').set({ next_check_at: new Date().toISOString() }).execute();
    // Two sweeps.
    await expect.poll(async () => (await domain()).status, SOON).toBe('temporary_failure');
    await expect.poll(async () => (await workflow.describe()).status.name, SOON).toBe('RUNNING');
    await publishRecords();
    await background.requestDomainCheck(domainId);
    await expect.poll(async () => (await domain()).status, SOON).toBe('verified');
    expect(await prepared.eventTypes()).toEqual(['domain.verified', 'domain.drifted', 'domain.recovered']);
  });
});

describe('what the email service runs once', () => {
  test('is reported while it is missing, and created again; a paused Schedule stays paused', async () => {
    const { workflow, schedule } = server.environment.client;
    await background.stop();
    replaceBackground(await backgroundOn(prepared, { singletonsEveryMs: 2_000 }));
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
    replaceBackground(await backgroundOn(prepared));
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
          await installation.owe(deliverEmailStart(emailId));
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
    await prepared.owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    await expect.poll(() => logged.some((line) => line.includes('its outbox row stays')), SOON).toBe(true);
    // One line with the cause, for all rows and attempts.
    for (let index = 0; index < 30; index++) await prepared.owe(deliverEmailStart(await prepared.email()));
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

  test('deletes the row of a Workflow that already exists, without starting it twice', async () => {
    const emailId = await prepared.email();
    await prepared.owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    await expect.poll(() => emailStatus(emailId), SOON).toBe('delivered');
    await expect.poll(outboxRows, SOON).toBe(0);
    const handle = workflowOf(`deliver-email/${emailId}`);
    await handle.result();
    const { runId } = await handle.describe();
    await prepared.owe(deliverEmailStart(emailId));
    background.dispatchSoon();
    await expect.poll(outboxRows, SOON).toBe(0);
    expect((await handle.describe()).runId).toBe(runId);
    expect(mailbox.received()).toHaveLength(1);
  });

  test('starts a burst of fifty emails, each exactly once', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => prepared.email()));
    await Promise.all(
      ids.map(async (id) => {
        await prepared.owe(deliverEmailStart(id));
        background.dispatchSoon();
      }),
    );
    await expect.poll(() => mailbox.received().length, { timeout: 40_000, interval: 200 }).toBe(50);
    await expect.poll(outboxRows, SOON).toBe(0);
    expect(new Set(mailbox.received().map(({ messageId }) => messageId)).size).toBe(50);
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
      replaceBackground(started as RunningBackground);
      return false;
    };
    // The server ends the Workflows of a query some time after the command.
    await expect.poll(isRefused, SOON).toBe(false);
  };

  test('refuses to leave its Workflows, and continues each in the new Namespace once they have been ended', async () => {
    const { id: webhookId } = await prepared.webhook(['email.delivered'], { url: `${hooks.url}/hook` });
    const done = await prepared.email();
    await prepared.owe(deliverEmailStart(done));
    background.dispatchSoon();
    await expect.poll(() => emailStatus(done), SOON).toBe('delivered');
    await expect.poll(() => hooks.posts.length, SOON).toBe(1);

    mailbox.refuse({ recipient: /./, reply: { code: 451, enhanced: '4.3.0', text: 'later' }, times: 1 });
    const deferred = await prepared.email();
    await prepared.owe(deliverEmailStart(deferred));
    await prepared.owe(verifyDomainStart(prepared.domainId));
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
    const verification = workflowOf(`verify-domain/${prepared.domainId}`);
    await expect.poll(async () => (await verification.describe()).status.name, SOON).toBe('RUNNING');
    await expect.poll(outboxRows, SOON).toBe(0);
    expect([mailbox.received().length, hooks.posts.length, webhookId]).toEqual([2, 2, webhookId]);
  }, 90_000);
});

import type { WorkflowHandle } from '@temporalio/client';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { startDnsServer, type DnsServer } from '../../../src/dev/world/dns-server.ts';
import { startMailReceiver, type MailReceiver } from '../../../src/dev/world/mail-receiver.ts';
import { worldZones } from '../../../src/dev/world/world-zones.ts';
import { emailServiceNames, type EmailServiceNames } from '../../../src/email-service/workflows/email-service-names.ts';
import { installationIdOf } from '../../../src/lib/sql/installation-id.ts';
import {
  type BackgroundSettings,
  type RunningBackground,
  startBackground,
} from '../../../src/email-service/background/background.ts';
import type { DomainRecord } from '../../../src/email-service/resources/domain.ts';
import { newId } from '../../../src/email-service/resources/resource-ids.ts';
import { devServer, type TestServer } from '../../support/temporal.ts';
import { openTestStore, type TestStore } from '../support/test-store.ts';
import { startTestReceiver, type TestReceiver } from '../../support/test-receiver.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { backgroundOptions } from '../support/background-options.ts';

/** Longer than the sweep's interval, the longest wait in these tests. */
export const SOON = { timeout: 25_000, interval: 100 };

export const OTHER_NAMESPACE = 'mail';

export let server: TestServer;
export let proxy: TcpProxy;
export let prepared: TestStore;
export let dns: DnsServer;
export let mailbox: MailReceiver;
export let hooks: TestReceiver;
export let background: RunningBackground;
export let logged: string[];
export let names: EmailServiceNames;

export function backgroundOn(
  on: TestStore,
  {
    namespace = server.namespace,
    singletonsEveryMs = 20_000,
    ...settings
  }: { namespace?: string; singletonsEveryMs?: number } & Partial<BackgroundSettings> = {},
): Promise<RunningBackground> {
  const options = backgroundOptions(on, { dns, smtpPort: mailbox.port });
  return startBackground({
    ...options,
    settings: { ...options.settings, ...settings },
    logger: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
    temporal: { connectionOptions: { address: proxy.address }, namespace },
    singletonsEveryMs,
  });
}

/** The given one is stopped after the test; the one before it must have been. */
export function replaceBackground(next: RunningBackground): void {
  background = next;
}

export const outboxRows = async () =>
  (await prepared.store.selectFrom('outbox').select('workflow_id').execute()).length;
export const emailStatus = async (id: string) =>
  (await prepared.store.selectFrom('emails').select('status').where('id', '=', id).executeTakeFirstOrThrow()).status;
export const attemptsOf = async (id: string) =>
  (await prepared.store.selectFrom('delivery_attempts').select('number').where('email_id', '=', id).execute()).length;
/** @param id as the outbox has it */
export const workflowOf = (id: string): WorkflowHandle =>
  server.environment.client.workflow.getHandle(names.workflowId(id));
export const domain = (id = prepared.domainId) =>
  prepared.store.selectFrom('domains').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Unlike the domain of the store, it has no Workflow yet: the first start of the background starts that of every pending domain. */
export async function newDomain(name: string): Promise<string> {
  const id = newId('dom');
  const row = await domain();
  const records = row.records.replaceAll('acme.test', name);
  await prepared.store
    .insertInto('domains')
    .values({ ...row, id, name, records, last_checked_at: null })
    .execute();
  return id;
}

export async function publishRecords(domainId = prepared.domainId): Promise<void> {
  const records = JSON.parse((await domain(domainId)).records) as DomainRecord[];
  dns.publish(records.map(({ name, type, value }) => ({ name, type, value })));
}

/** Starts them before the tests of this file, and a background before each. */
export function useBackground(): void {
  beforeAll(async () => {
    server = await devServer({ searchAttributes: [], otherNamespaces: [OTHER_NAMESPACE] });
    proxy = await startTcpProxy(server.address);
  });
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
  });

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
}

import { Client } from '@temporalio/client';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { localEmailServiceSettings } from '../../src/dev/local-settings.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import type { EmailProvider } from '../../src/email-provider/email-provider.ts';
import { createHttpEmailProvider } from '../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { readEmailServiceConfig } from '../../src/email-service/config.ts';
import { startEmailService, type RunningEmailService } from '../../src/email-service/main.ts';
import { openStore } from '../../src/email-service/store/open-store.ts';
import { deliverEmailStart } from '../../src/email-service/store/outbox.ts';
import { emailServiceNames, type EmailServiceNames } from '../../src/email-service/workflows/email-service-names.ts';
import { createClosers } from '../../src/lib/closers.ts';
import { installationIdOf } from '../../src/lib/sql/installation-id.ts';
import { findSilentTaskQueues } from '../../src/lib/temporal/find-silent-task-queues.ts';
import { startSurroundings, type Surroundings } from './programs-here.ts';
import { startSendoffWith, type RunningSendoff } from './running-sendoff.ts';

const SOON = { timeout: 60_000, interval: 100 };

let here: Surroundings;
let settings: Record<string, string>;
const closers = createClosers();
beforeAll(async () => {
  here = await startSurroundings(closers, { searchAttributes: [], otherNamespaces: ['mail'] });
  const { folder, world, temporal } = here;
  settings = {
    ...localEmailServiceSettings(folder, world, { port: 0 }),
    EMAIL_SERVICE_TEMPORAL_NAMESPACE: 'mail',
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
    LOG_LEVEL: 'warn',
  };
});
afterAll(() => closers.close());

/** In this process. Resolves once it is ready. */
async function startHttp(): Promise<RunningEmailService> {
  const config = readEmailServiceConfig({ ...settings, EMAIL_SERVICE_ROLE: 'http', EMAIL_SERVICE_PORT: '0' });
  const http = await startEmailService(config, { logger: pino({ level: 'silent' }), temporal: here.at });
  closers.add(() => http.stop());
  await expect.poll(() => statusOf(`${http.url}/readyz`), SOON).toBe(200);
  return http;
}

interface WorkerProcess {
  readonly program: RunningSendoff;
  readonly url: string;
}

/** Resolves once it is ready. */
async function startWorkerProcess(): Promise<WorkerProcess> {
  const port = String(await freePort());
  const program = await startSendoffWith(
    { ...settings, EMAIL_SERVICE_HEALTH_PORT: port },
    ...['email-service', '--role', 'worker'],
  );
  closers.add(() => void program.child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const ended = program.ended.then((code) => `exit code ${String(code)}: ${program.stderr()}`);
  await expect.poll(() => Promise.race([ended, statusOf(`${url}/readyz`)]), SOON).toSatisfy(isDecided);
  expect(await statusOf(`${url}/readyz`), program.stderr()).toBe(200);
  return { program, url };
}

const isDecided = (seen: unknown): boolean => seen === 200 || typeof seen === 'string';

const statusOf = async (url: string): Promise<number | undefined> =>
  fetch(url).then(
    ({ status }) => status,
    () => undefined,
  );

async function end({ program }: WorkerProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
  program.child.kill(signal);
  return program.ended;
}

const silentQueues = async ({ taskQueue, deliveriesTaskQueue }: EmailServiceNames): Promise<number> => {
  const queues = [
    { taskQueue, runsWorkflows: true },
    { taskQueue: deliveriesTaskQueue, runsWorkflows: false },
  ];
  return (await findSilentTaskQueues(here.temporal.environment.connection, 'mail', queues)).length;
};

test('two HTTP roles and a Worker share a database; another Worker delivers what a killed one left', async () => {
  const [first, second] = await Promise.all([startHttp(), startHttp()]);
  const store = await openStore(settings['EMAIL_SERVICE_DATABASE_URL'] ?? '');
  const names = emailServiceNames(await installationIdOf(store));
  await store.destroy();
  expect(await silentQueues(names)).toBe(2);

  const operatorToken = settings['EMAIL_SERVICE_OPERATOR_TOKEN'] ?? '';
  const viaFirst = createHttpEmailProvider({ baseUrl: first.url, operatorToken });
  const viaSecond = createHttpEmailProvider({ baseUrl: second.url, operatorToken });
  const create = (via: EmailProvider) => via.createApiKey({ account: 'acme', name: 'acme' }, { idempotencyKey: 'key' });
  const [key, sameKey] = await Promise.all([create(viaFirst), create(viaSecond)]);
  expect(key).toEqual(sameKey);
  const acmeAtFirst = viaFirst.withKey(key.token ?? '');
  const acmeAtSecond = viaSecond.withKey(key.token ?? '');

  const killed = await startWorkerProcess();
  expect(await silentQueues(names)).toBe(0);
  expect(await statusOf(`${killed.url}/livez`)).toBe(200);
  expect(await statusOf(`${killed.url}/emails`)).toBe(404);
  const domain = await acmeAtFirst.createDomain({ name: 'acme.test' }, { idempotencyKey: 'domain' });
  here.world.dns.publish(domain.records.map(({ name, type, value }) => ({ name, type: type as 'TXT', value })));
  await acmeAtSecond.requestVerification(domain.id, { idempotencyKey: 'check' });
  await expect.poll(async () => (await acmeAtFirst.getDomain(domain.id)).status, SOON).toBe('verified');

  await end(killed, 'SIGKILL');
  const sender = await acmeAtSecond.createSender({ fromAddress: 'hello@acme.test' }, { idempotencyKey: 'sender' });
  const email = { senderId: sender.id, recipient: 'ada@inbox.test', subject: 'Hello', body: 'It works.' };
  const sent = await Promise.all(
    [acmeAtFirst, acmeAtSecond].map((via) => via.sendEmail(email, { idempotencyKey: 'email' })),
  );
  const [id = ''] = new Set(sent.map((answer) => answer.id));
  expect(sent).toMatchObject([
    { id, status: 'queued' },
    { id, status: 'queued' },
  ]);
  // An HTTP role starts the Workflow, for any Worker.
  const { workflow } = new Client({ connection: here.temporal.environment.connection, namespace: 'mail' });
  const delivery = workflow.getHandle(names.workflowId(deliverEmailStart(id).workflowId));
  await expect.poll(async () => (await delivery.describe()).status.name, SOON).toBe('RUNNING');
  const replacement = await startWorkerProcess();
  await expect.poll(async () => (await acmeAtSecond.getEmail(id)).status, SOON).toBe('delivered');
  expect(here.world.mail.received().filter(({ messageId }) => messageId.includes(id))).toHaveLength(1);

  expect(await end(replacement, 'SIGTERM')).toBe(0);
});

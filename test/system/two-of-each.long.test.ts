// Two servers, two Workers and two email services on one database, which every other test has once.
import { Client } from '@temporalio/client';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSendoffClient, type SendoffClient, type SendoffEvent } from '../../src/api-client/sendoff-client.ts';
import { readConfig } from '../../src/config.ts';
import { localEmailServiceSettings, localOrchestratorSettings } from '../../src/dev/local-settings.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import type { World } from '../../src/dev/world/start-world.ts';
import { readEmailServiceConfig } from '../../src/email-service/config.ts';
import { startEmailService } from '../../src/email-service/main.ts';
import { createClosers } from '../../src/lib/closers.ts';
import { type OnboardingEventType, isNotified } from '../../src/onboarding/onboarding-events.ts';
import { startServer, type RunningServer } from '../../src/server.ts';
import { startWorker, type RunningWorker } from '../../src/worker.ts';
import { INSTALLATION_WORKFLOW_ID, SWEEP_WORKFLOW_ID, WATCH_SCHEDULE_ID } from '../../src/workflows/messages.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import type { TestServer } from '../support/temporal.ts';
import { testDatabase } from '../support/test-database.ts';
import { startTestReceiver, type TestReceiver } from '../support/test-receiver.ts';
import { publishRecords, startOnboarding, startSurroundings, viewOf } from './programs-here.ts';

const SOON = { timeout: 60_000, interval: 200 };
const logger = pino({ level: 'silent' });

/** Beside the Namespace `default`. */
const BACKGROUND = 'default-background';

let temporal: TestServer;
let world: World;
let backend: TestReceiver;
let servers: readonly RunningServer[];
let workers: readonly RunningWorker[];
let clients: readonly SendoffClient[];
const closers = createClosers();

beforeAll(async () => {
  const surroundings = await startSurroundings(closers, {
    searchAttributes: searchAttributeKeys,
    otherNamespaces: [BACKGROUND, 'mail'],
  });
  const { folder, at } = surroundings;
  ({ temporal, world } = surroundings);
  backend = await startTestReceiver((response) => response.writeHead(204).end());
  closers.add(() => backend.stop());
  const databases = await Promise.all([testDatabase('orchestrator'), testDatabase('email-service')]);
  const [orchestratorUrl = '', emailServiceUrl = ''] = databases.map(({ url }) => url);
  for (const { end } of databases) closers.add(end);

  const ports = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const emailServices = ports.slice(0, 2).map((port) =>
    startEmailService(
      readEmailServiceConfig({
        ...localEmailServiceSettings(folder, world, { port }),
        EMAIL_SERVICE_DATABASE_URL: emailServiceUrl,
        EMAIL_SERVICE_TEMPORAL_NAMESPACE: 'mail',
      }),
      { logger, temporal: at },
    ),
  );
  // Each server and Worker uses another email service.
  const configs = ports.slice(2).map((port, index) =>
    readConfig({
      ...localOrchestratorSettings(folder, world, { port, providerUrl: `http://127.0.0.1:${ports[index] ?? 0}` }),
      SENDOFF_DATABASE_URL: orchestratorUrl,
      // In production the load balancer's; here that of the server that is not stopped.
      SENDOFF_PUBLIC_URL: `http://127.0.0.1:${ports[3]}`,
      SENDOFF_NOTIFICATION_URL: `${backend.url}/hooks`,
      SENDOFF_NOTIFICATION_SECRET: `whsec_${'c2VjcmV0'.repeat(5)}`,
      LOG_LEVEL: 'silent',
    }),
  );
  // All at once: what exists once is created by the first.
  const startingWorkers = configs.map((config) => startWorker(config, at));
  const startingServers = configs.map((config) => startServer(config, at, logger));
  const started = await Promise.allSettled([...emailServices, ...startingWorkers, ...startingServers]);
  for (const each of started) if (each.status === 'fulfilled') closers.add(() => each.value.stop());
  workers = await Promise.all(startingWorkers);
  servers = await Promise.all(startingServers);
  await Promise.all(emailServices);
  clients = servers.map(({ url }) => createSendoffClient({ baseUrl: url, token: folder.saved.apiToken }));
});
afterAll(() => closers.close());

const clientOf = (index: number): SendoffClient => {
  const client = clients[index];
  if (client === undefined) throw new Error('it was not started');
  return client;
};

/** The events that the client has received, while the test runs. */
function follow(client: SendoffClient, lastEventId: string, signal: AbortSignal): readonly SendoffEvent[] {
  const seen: SendoffEvent[] = [];
  void (async () => {
    for await (const event of client.events({ lastEventId, signal })) seen.push(event);
  })().catch(() => undefined);
  return seen;
}

test('programs that start at once create one installation, one sweep and one Schedule', async () => {
  const { connection } = temporal.environment;
  const client = new Client({ connection, namespace: BACKGROUND });
  for (const workflowId of [INSTALLATION_WORKFLOW_ID, SWEEP_WORKFLOW_ID]) {
    expect((await client.workflow.getHandle(workflowId).describe()).status.name).toBe('RUNNING');
    const query = `WorkflowId = "${workflowId}"`;
    await expect.poll(async () => (await client.workflow.count(query)).count, SOON).toBe(1);
  }
  const { spec } = await client.schedule.getHandle(WATCH_SCHEDULE_ID).describe();
  expect(spec.intervals).toHaveLength(1);
});

test('an onboarding is one through both servers: its start, its events, its notifications and its claim', async () => {
  const over = new AbortController();
  closers.add(() => {
    over.abort();
  });
  const streams = clients.map((client) => follow(client, '0', over.signal));
  const answers = await Promise.all(
    clients.flatMap((client) => [startOnboarding(client, 'acme'), startOnboarding(client, 'acme')]),
  );
  expect(answers.map(({ response }) => response.status).sort()).toEqual([200, 200, 200, 201]);
  expect(new Set(answers.map(({ data }) => data.runId)).size).toBe(1);
  await publishRecords(clientOf(0), world, 'acme');
  await expect.poll(async () => (await viewOf(clientOf(1), 'acme')).outcome, SOON).toBe('onboarded');
  expect(world.mail.received().filter(({ to }) => to.includes('acme@inbox.test'))).toHaveLength(1);

  const claims = await Promise.allSettled(
    [...clients, ...clients].map((client) =>
      client.POST('/onboardings/{tenantId}/api-key/claim', {
        params: { path: { tenantId: 'acme' } },
        body: { by: 'ada' },
      }),
    ),
  );
  expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);

  const types = (events: readonly SendoffEvent[]): readonly string[] => events.map(({ type }) => type);
  await expect.poll(() => types(streams[0] ?? []).at(-1), SOON).toBe('api_key.claimed');
  await expect.poll(() => streams[1], SOON).toEqual(streams[0]);
  const ids = (streams[0] ?? []).map(({ id }) => Number(id));
  expect(ids).toEqual([...ids].sort((one, other) => one - other));
  const notified = types(streams[0] ?? []).filter((type) => isNotified(type as OnboardingEventType));
  await expect
    .poll(() => backend.posts.map(({ body }) => (JSON.parse(body) as { type: string }).type), SOON)
    .toEqual(notified);
});

test('what a stopped server and Worker began continues on the others, without a gap in the events', async () => {
  const over = new AbortController();
  const before = follow(clientOf(0), '0', over.signal);
  await startOnboarding(clientOf(0), 'globex');
  await expect.poll(() => before.some(({ data }) => 'tenantId' in data && data.tenantId === 'globex'), SOON).toBe(true);
  const last = before.at(-1)?.id ?? '';
  over.abort();
  await Promise.all([servers[0]?.stop(), workers[0]?.stop()]);

  const after = follow(clientOf(1), last, AbortSignal.timeout(100_000));
  await publishRecords(clientOf(1), world, 'globex');
  await expect.poll(async () => (await viewOf(clientOf(1), 'globex')).outcome, SOON).toBe('onboarded');
  const all = follow(clientOf(1), '0', AbortSignal.timeout(100_000));
  await expect.poll(() => all.at(-1)?.type, SOON).toBe('onboarding.onboarded');
  await expect.poll(() => [...before, ...after].map(({ id }) => id), SOON).toEqual(all.map(({ id }) => id));
});

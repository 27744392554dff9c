// The list that operators open first: onboardings and checks. What works in the background runs in another Namespace, or in the same one.
import { Client } from '@temporalio/client';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSendoffClient, type SendoffClient } from '../../src/api-client/sendoff-client.ts';
import { readConfig } from '../../src/config.ts';
import { localEmailServiceSettings, localOrchestratorSettings } from '../../src/dev/local-settings.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import type { World } from '../../src/dev/world/start-world.ts';
import { readEmailServiceConfig } from '../../src/email-service/config.ts';
import { startEmailService } from '../../src/email-service/main.ts';
import { createClosers } from '../../src/lib/closers.ts';
import { startOrchestrator } from '../../src/start.ts';
import { WATCH_SCHEDULE_ID } from '../../src/workflows/messages.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import type { TestServer } from '../support/temporal.ts';
import { startTestReceiver, type TestReceiver } from '../support/test-receiver.ts';
import { publishRecords, startOnboarding, startSurroundings, viewOf } from './programs-here.ts';

const SOON = { timeout: 240_000, interval: 1_000 };
/** Of every fifth notification. */
const SLOW_ANSWER_MS = 700;
const TENANTS = Array.from({ length: 6 }, (_, index) => `tenant-${String(index)}`);
const logger = pino({ level: 'silent' });

describe.each([
  { name: 'a background Namespace of its own', background: 'sendoff-background' },
  { name: 'one Namespace', background: 'sendoff' },
])('with $name', ({ background }) => {
  const closers = createClosers();
  let temporal: TestServer;
  let world: World;
  let backend: TestReceiver;
  let api: SendoffClient;

  beforeAll(async () => {
    const surroundings = await startSurroundings(closers, {
      namespace: 'sendoff',
      otherNamespaces: ['sendoff-background', 'mail'],
      searchAttributes: searchAttributeKeys,
    });
    const { folder, at } = surroundings;
    ({ temporal, world } = surroundings);
    let answers = 0;
    backend = await startTestReceiver((response) => {
      answers += 1;
      setTimeout(() => response.writeHead(204).end(), answers % 5 === 0 ? SLOW_ANSWER_MS : 0);
    });
    closers.add(() => backend.stop());
    const [port, emailServicePort] = [await freePort(), await freePort()];
    const emailService = await startEmailService(
      readEmailServiceConfig({
        ...localEmailServiceSettings(folder, world, { port: emailServicePort }),
        EMAIL_SERVICE_TEMPORAL_NAMESPACE: 'mail',
      }),
      { logger, temporal: at },
    );
    closers.add(() => emailService.stop());
    const config = readConfig({
      ...localOrchestratorSettings(folder, world, { port, providerUrl: emailService.url }),
      SENDOFF_PUBLIC_URL: `http://127.0.0.1:${String(port)}`,
      SENDOFF_NOTIFICATION_URL: `${backend.url}/hooks`,
      SENDOFF_NOTIFICATION_SECRET: `whsec_${'c2VjcmV0'.repeat(5)}`,
      SENDOFF_WATCH_INTERVAL: '1 minute',
      ...(background === 'sendoff' ? { SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: background } : {}),
    });
    const orchestrator = await startOrchestrator(config, at, logger);
    closers.add(() => orchestrator.stop());
    api = createSendoffClient({ baseUrl: orchestrator.url, token: folder.saved.apiToken });
  });
  afterAll(() => closers.close());

  const clientOf = (namespace: string): Client =>
    new Client({ connection: temporal.environment.connection, namespace });
  async function typesIn(namespace: string): Promise<Set<string>> {
    const types = new Set<string>();
    for await (const { type } of clientOf(namespace).workflow.list()) types.add(type);
    return types;
  }
  const notifications = async (query: { tenant?: string; status?: 'pending' }) =>
    (await api.GET('/notifications', { params: { query: { limit: 100, ...query } } })).data.data;

  async function onboard(tenantId: string): Promise<void> {
    await startOnboarding(api, tenantId);
    await publishRecords(api, world, tenantId);
    await expect.poll(async () => (await viewOf(api, tenantId)).outcome, SOON).toBe('onboarded');
  }

  test('tenants onboard at once, are watched, and the backend gets their notifications in order', async () => {
    const seen = new Set<string>();
    const onboarded = Promise.all(TENANTS.map(onboard));
    const over = onboarded.then(() => true);
    const note = async (): Promise<void> => {
      for (const type of await typesIn('sendoff')) seen.add(type);
    };
    await expect
      .poll(async () => {
        await note();
        return Promise.race([over, Promise.resolve(false)]);
      }, SOON)
      .toBe(true);
    await expect.poll(() => notifications({ status: 'pending' }), SOON).toEqual([]);

    const schedule = clientOf(background).schedule.getHandle(WATCH_SCHEDULE_ID);
    await schedule.trigger();
    const watched = 'WorkflowType = "watchDomains" AND ExecutionStatus = "Completed"';
    await expect.poll(async () => (await clientOf(background).workflow.count(watched)).count, SOON).toBeGreaterThan(0);
    await note();

    // With `applyRetention` at half past.
    const inBackground = expect.arrayContaining(['notifyBackend', 'sweepRegister', 'watchDomains']) as string[];
    const ofOnboardings = ['onboardTenant', 'sendoffInstallation'];
    const beside = [...(await typesIn('sendoff-background'))];
    if (background === 'sendoff') {
      expect([...seen]).toEqual(inBackground);
      expect(beside).toEqual([]);
    } else {
      expect([...seen].sort()).toEqual(ofOnboardings);
      expect(beside).toEqual(inBackground);
      expect(beside).not.toContain('onboardTenant');
    }

    for (const tenant of TENANTS) {
      const recorded = (await notifications({ tenant })).map(({ id }) => id).reverse();
      const received = backend.posts
        .filter(({ body }) => (JSON.parse(body) as { data: { tenantId: string } }).data.tenantId === tenant)
        .map(({ headers }) => headers['webhook-id']);
      expect(recorded.length).toBeGreaterThan(1);
      expect(received).toEqual(recorded);
    }
  }, 300_000);
});

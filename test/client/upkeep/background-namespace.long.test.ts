import '../../support/quiet-temporal.ts';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import { pino } from 'pino';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OtherInstallationError } from '../../../src/client/upkeep/join-installation.ts';
import { backgroundSingletons } from '../../../src/client/upkeep/orchestrator-singletons.ts';
import { readConfig } from '../../../src/config.ts';
import { setUpTemporal } from '../../../src/lib/temporal/setup/set-up-temporal.ts';
import { singletonState } from '../../../src/lib/temporal/singletons.ts';
import { onboardingWorkflowId } from '../../../src/onboarding/onboarding-ids.ts';
import { startServer } from '../../../src/server.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { createSqlNotificationQueue } from '../../../src/store/upkeep/notification-queue.ts';
import { createSqlRegister } from '../../../src/store/onboarding/sql-register.ts';
import { startWorker } from '../../../src/worker.ts';
import {
  INSTALLATION_WORKFLOW_ID,
  ONBOARDING_WORKFLOW_TYPE,
  SWEEP_WORKFLOW_ID,
} from '../../../src/workflows/messages.ts';
import { searchAttributeKeys } from '../../../src/workflows/search-attributes.ts';
import { beginOnboarding } from '../../support/begin-onboarding.ts';
import { inputOf } from '../../support/onboarding-environment.ts';
import { devServer, type TestServer } from '../../support/temporal.ts';
import { startTestReceiver, type TestReceiver } from '../../support/test-receiver.ts';

const WITHIN = { timeout: 60_000, interval: 300 };
const HOUR_MS = 3_600_000;
const SETTING = 'SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE';

let temporal: TestServer;
let backend: TestReceiver;
let folder: string;
let created = 0;

beforeAll(async () => {
  temporal = await devServer({ searchAttributes: searchAttributeKeys });
  backend = await startTestReceiver((response) => response.writeHead(204).end());
  folder = mkdtempSync(join(tmpdir(), 'sendoff-background-'));
});
afterAll(async () => {
  await backend.stop();
  await temporal.stop();
  rmSync(folder, { recursive: true });
});

const clientOf = (namespace: string): Client => new Client({ connection: temporal.environment.connection, namespace });

async function create(namespace: string, isBackground = true): Promise<string> {
  await setUpTemporal({
    ...{ connection: temporal.environment.connection, address: temporal.address, namespace },
    searchAttributes: isBackground ? [] : searchAttributeKeys,
  });
  return namespace;
}

/** Two Namespaces of an installation; the second one exists only if it is wanted. */
async function newNamespaces({ withBackground = true } = {}) {
  created += 1;
  const namespace = await create(`own-${String(created)}`, false);
  const background = `${namespace}-background`;
  if (withBackground) await create(background);
  return { namespace, background };
}

const urlOf = (name: string): string => `file:${join(folder, `${name}.db`)}`;
const config = (name: string, changes: Readonly<Record<string, string>> = {}) =>
  readConfig({
    SENDOFF_API_TOKEN: 'a-token-of-more-than-24-characters',
    SENDOFF_SECRET_KEY: randomBytes(32).toString('base64'),
    SENDOFF_DATABASE_URL: urlOf(name),
    SENDOFF_PORT: '0',
    SENDOFF_NOTIFICATION_URL: backend.url,
    SENDOFF_NOTIFICATION_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
    EMAIL_PROVIDER_OPERATOR_TOKEN: 'operator',
    EMAIL_PROVIDER_URL: 'http://127.0.0.1:9',
    DNS_RESOLVERS: '127.0.0.1:9',
    ...changes,
  });
const at = (namespace: string) => ({ connectionOptions: { address: temporal.address }, namespace });
const start = {
  server: (settings: ReturnType<typeof config>, namespace: string) =>
    startServer(settings, at(namespace), pino({ level: 'silent' })),
  worker: (settings: ReturnType<typeof config>, namespace: string) => startWorker(settings, at(namespace)),
};
const programs = ['server', 'worker'] as const;

const refusalOf = async (starting: Promise<{ stop(): Promise<void> }>): Promise<Error> => {
  const [started] = await Promise.allSettled([starting]);
  if (started.status === 'rejected') return started.reason as Error;
  await started.value.stop();
  throw new Error('it started');
};

const statusOf = async (namespace: string, workflowId: string): Promise<string> => {
  try {
    return (await clientOf(namespace).workflow.getHandle(workflowId).describe()).status.name;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'absent';
    throw error;
  }
};
const missingIn = async (namespace: string): Promise<string[]> => {
  const client = clientOf(namespace);
  const { missing } = await singletonState(client, backgroundSingletons(client, HOUR_MS));
  return missing.map(({ name }) => name);
};

test.each(programs)(
  'a %s without a usable background Namespace refuses to start, with its setting and what to do',
  async (name) => {
    const { namespace, background } = await newNamespaces({ withBackground: false });
    const { message } = await refusalOf(start[name](config(`absent-${name}`), namespace));
    expect(message).toContain(SETTING);
    expect(message).toContain(`The Namespace ${background} does not exist`);
    expect(message).toContain('sendoff setup');
    expect(message).toContain(`set ${SETTING} to the name of TEMPORAL_NAMESPACE`);
    // It has claimed nothing.
    expect(await statusOf(namespace, INSTALLATION_WORKFLOW_ID)).toBe('absent');

    const tooLong = 'x'.repeat(2_000);
    const refused = await refusalOf(start[name](config(`refused-${name}`, { [SETTING]: tooLong }), namespace));
    expect(refused.message).toContain(`${SETTING} (default: TEMPORAL_NAMESPACE with -background) names xxx`);
    expect(refused.message).toMatch(/which cannot be used: .*length/i);
  },
);

test.each(programs)(
  'a %s refuses the Namespace of another database, as its own one and in the background',
  async (name) => {
    const ours = await newNamespaces();
    const theirs = await newNamespaces();
    const program = await start.server(config(`ours-${name}`), ours.namespace);
    for (const claimed of [ours.background, ours.namespace]) {
      const settings = config(`theirs-${name}`, { [SETTING]: claimed });
      const refusal = await refusalOf(start[name](settings, theirs.namespace));
      expect(refusal).toBeInstanceOf(OtherInstallationError);
      expect(refusal.message).toContain(`the Temporal Namespace ${claimed} has belonged to installation`);
      expect(refusal.message).toContain(`or ${SETTING} to another Namespace`);
      expect(refusal.message).toContain(`temporal workflow terminate --namespace ${claimed} `);
    }
    expect(await missingIn(theirs.background)).toContain(SWEEP_WORKFLOW_ID);
    await program.stop();
  },
);

test('a background Namespace that is deleted and created again gets back all that ran there', async () => {
  const { namespace, background } = await newNamespaces();
  const server = await start.server(config('recreated'), namespace);
  const readiness = async () =>
    (await (await fetch(`${server.url}/readyz`)).json()) as { temporal: string; missing?: unknown };
  try {
    await expect.poll(readiness, WITHIN).toMatchObject({ temporal: 'ok' });
    await temporal.environment.connection.operatorService.deleteNamespace({ namespace: background });
    await expect
      .poll(readiness, WITHIN)
      .toMatchObject({ temporal: 'not_set_up', missing: [{ kind: 'namespace', name: background }] });
    await create(background);
    await expect.poll(async () => (await readiness()).temporal, WITHIN).toBe('ok');
    expect(await missingIn(background)).toEqual([]);
    expect(await statusOf(background, INSTALLATION_WORKFLOW_ID)).toBe('RUNNING');
  } finally {
    await server.stop();
  }
}, 180_000);

interface Received {
  readonly tenantId: string;
  readonly id: unknown;
}
const received = (): Received[] =>
  backend.posts.map(({ body, headers }) => ({
    tenantId: (JSON.parse(body) as { data: { tenantId: string } }).data.tenantId,
    id: headers['webhook-id'],
  }));

/** An onboarding of each tenant, and `count` notifications, of which the last is committed last. */
async function notifying(name: string, namespace: string, tenants: readonly string[], count: number): Promise<void> {
  const database = await openDatabase(urlOf(name));
  const register = createSqlRegister(database, { notify: true });
  for (const tenantId of tenants) {
    const { firstExecutionRunId } = await clientOf(namespace).workflow.start(ONBOARDING_WORKFLOW_TYPE, {
      ...{ workflowId: onboardingWorkflowId(tenantId), taskQueue: 'nothing-runs-here', args: [inputOf(tenantId)] },
    });
    await beginOnboarding(register, tenantId, firstExecutionRunId);
    for (let reason = 0; reason < count; reason += 1)
      await register.addEvent(
        tenantId,
        { type: 'domain.drifted', data: { reason: String(reason) } },
        new Date().toISOString(),
      );
  }
  await database.destroy();
}
async function recordedIds(name: string, tenantId: string): Promise<string[]> {
  const database = await openDatabase(urlOf(name));
  const listed = await createSqlNotificationQueue(database).list(
    { tenantId, status: undefined, type: undefined },
    { limit: 100 },
  );
  await database.destroy();
  return listed.map(({ id }) => id).reverse();
}

test('while Workers of both kinds run, every notification arrives, and a repeated one has the same ID', async () => {
  const { namespace } = await newNamespaces();
  const tenants = Array.from({ length: 10 }, (_, index) => `rolling-${String(index)}`);
  const one = await start.worker(config('rolling', { [SETTING]: namespace }), namespace);
  const apart = await start.worker(config('rolling'), namespace);
  try {
    await notifying('rolling', namespace, tenants, 5);
    for (const tenantId of tenants) {
      const ids = await recordedIds('rolling', tenantId);
      expect(ids).toHaveLength(5);
      const distinct = () =>
        [...new Set(received().flatMap((each) => (each.tenantId === tenantId ? [each.id] : [])))].sort();
      await expect.poll(distinct, WITHIN).toEqual([...ids].sort());
    }
  } finally {
    await Promise.all([one.stop(), apart.stop()]);
  }
}, 120_000);

import '../../support/quiet-temporal.ts';
import { Client, WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OtherInstallationError } from '../../../src/client/upkeep/join-installation.ts';
import { backgroundSingletons } from '../../../src/client/upkeep/orchestrator-singletons.ts';
import { setUpTemporal } from '../../../src/lib/temporal/setup/set-up-temporal.ts';
import { singletonState } from '../../../src/lib/temporal/singletons.ts';
import { onboardingWorkflowId } from '../../../src/onboarding/onboarding-ids.ts';
import { createSqlNotificationQueue } from '../../../src/store/upkeep/notification-queue.ts';
import { createSqlRegister } from '../../../src/store/onboarding/sql-register.ts';
import {
  INSTALLATION_WORKFLOW_ID,
  ONBOARDING_WORKFLOW_TYPE,
  SWEEP_WORKFLOW_ID,
} from '../../../src/workflows/messages.ts';
import { searchAttributeKeys } from '../../../src/workflows/search-attributes.ts';
import { beginOnboarding } from '../../support/begin-onboarding.ts';
import { inputOf } from '../../support/onboarding-environment.ts';
import { databaseFiles } from '../../support/database-files.ts';
import { notifying, programs, refusalOf, settingsOf, start } from '../../support/start-program.ts';
import { devServer, type TestServer } from '../../support/temporal.ts';
import { startTestReceiver, type TestReceiver } from '../../support/test-receiver.ts';

const WITHIN = { timeout: 60_000, interval: 300 };
const HOUR_MS = 3_600_000;
const SETTING = 'SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE';

let temporal: TestServer;
let backend: TestReceiver;
const { urlOf, withDatabase, remove } = databaseFiles();
let created = 0;

beforeAll(async () => {
  temporal = await devServer({ searchAttributes: searchAttributeKeys });
  backend = await startTestReceiver((response) => response.writeHead(204).end());
});
afterAll(async () => {
  await backend.stop();
  await temporal.stop();
  remove();
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

const settings = (name: string, changes = {}) => settingsOf(urlOf(name), { ...notifying(backend.url), ...changes });
const at = (namespace: string) => ({ address: temporal.address, namespace });
const startProgram = (program: (typeof programs)[number], name: string, namespace: string, changes = {}) =>
  start[program](settings(name, changes), at(namespace));

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
    const { message } = (await refusalOf(startProgram(name, `absent-${name}`, namespace))) as Error;
    expect(message).toContain(SETTING);
    expect(message).toContain(`The Namespace ${background} does not exist`);
    expect(message).toContain('sendoff setup');
    expect(message).toContain(`set ${SETTING} to the name of TEMPORAL_NAMESPACE`);
    // It has claimed nothing.
    expect(await statusOf(namespace, INSTALLATION_WORKFLOW_ID)).toBe('absent');

    const tooLong = 'x'.repeat(2_000);
    const refused = (await refusalOf(
      startProgram(name, `refused-${name}`, namespace, { [SETTING]: tooLong }),
    )) as Error;
    expect(refused.message).toContain(`${SETTING} (default: TEMPORAL_NAMESPACE with -background) names xxx`);
    expect(refused.message).toMatch(/which cannot be used: .*length/i);
  },
);

test.each(programs)(
  'a %s refuses the Namespace of another database, as its own one and in the background',
  async (name) => {
    const ours = await newNamespaces();
    const theirs = await newNamespaces();
    const program = await startProgram('server', `ours-${name}`, ours.namespace);
    for (const claimed of [ours.background, ours.namespace]) {
      const refusal = await refusalOf(startProgram(name, `theirs-${name}`, theirs.namespace, { [SETTING]: claimed }));
      expect(refusal).toBeInstanceOf(OtherInstallationError);
      const { message } = refusal as Error;
      expect(message).toContain(`the Temporal Namespace ${claimed} has belonged to installation`);
      expect(message).toContain(`or ${SETTING} to another Namespace`);
      expect(message).toContain(`temporal workflow terminate --namespace ${claimed} `);
    }
    expect(await missingIn(theirs.background)).toContain(SWEEP_WORKFLOW_ID);
    await program.stop();
  },
);

test('a background Namespace that is deleted and created again gets back all that ran there', async () => {
  const { namespace, background } = await newNamespaces();
  const server = await start.server(settings('recreated'), at(namespace));
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
const notify = (name: string, namespace: string, tenants: readonly string[], count: number): Promise<void> =>
  withDatabase(name, async (database) => {
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
  });
const recordedIds = (name: string, tenantId: string): Promise<string[]> =>
  withDatabase(name, async (database) => {
    const listed = await createSqlNotificationQueue(database).list({ tenantId }, { limit: 100 });
    return listed.map(({ id }) => id).reverse();
  });

test('while Workers of both kinds run, every notification arrives, and a repeated one has the same ID', async () => {
  const { namespace } = await newNamespaces();
  const tenants = Array.from({ length: 10 }, (_, index) => `rolling-${String(index)}`);
  const one = await startProgram('worker', 'rolling', namespace, { [SETTING]: namespace });
  const apart = await startProgram('worker', 'rolling', namespace);
  try {
    await notify('rolling', namespace, tenants, 5);
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

import '../../support/quiet-temporal.ts';
import type { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { producersSchedule } from '../../../src/client/agents-md/producers-schedule.ts';
import { backgroundSingletons, installationSingleton } from '../../../src/client/upkeep/orchestrator-singletons.ts';
import { keepSingletons, scheduleSingletons, singletonState } from '../../../src/lib/temporal/singletons.ts';
import type { RunningServer } from '../../../src/server.ts';
import {
  INSTALLATION_WORKFLOW_ID,
  PRODUCERS_SCHEDULE_ID,
  RETENTION_SCHEDULE_ID,
  SWEEP_WORKFLOW_ID,
  WATCH_SCHEDULE_ID,
} from '../../../src/workflows/messages.ts';
import { databaseFiles } from '../../support/database-files.ts';
import { settingsOf, start } from '../../support/start-program.ts';
import { sharedDevServer, type TestServer } from '../../support/temporal.ts';

/** The programs look every twenty seconds. */
const WITHIN = { timeout: 60_000, interval: 500 };
const HOUR_MS = 3_600_000;

let server: TestServer;
let client: Client;
const { urlOf, remove } = databaseFiles();
let api: RunningServer;
beforeAll(async () => {
  server = await sharedDevServer();
  ({ client } = server.environment);
  const settings = settingsOf(urlOf('sendoff'), {
    SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: server.namespace,
    AGENTS_MD_CONTACT: 'ops@example.com',
  });
  api = await start.server(settings, server);
});
afterAll(async () => {
  await api.stop();
  await server.stop();
  remove();
});

const end = {
  workflow: (id: string): Promise<unknown> => client.workflow.getHandle(id).terminate('by an operator'),
  schedule: (id: string): Promise<unknown> => client.schedule.getHandle(id).delete(),
};
const all = [
  { kind: 'workflow', name: INSTALLATION_WORKFLOW_ID },
  { kind: 'schedule', name: PRODUCERS_SCHEDULE_ID },
  { kind: 'workflow', name: SWEEP_WORKFLOW_ID },
  { kind: 'schedule', name: RETENTION_SCHEDULE_ID },
  { kind: 'schedule', name: WATCH_SCHEDULE_ID },
] as const;
const readiness = async () => {
  const answer = await fetch(`${api.url}/readyz`);
  return (await answer.json()) as { temporal: string; missing?: unknown };
};

test('a program creates again what runs once for all, and is not ready until then', async () => {
  // The first question waits for a new connection to Temporal, which may take longer than an answer may.
  await expect.poll(readiness).toEqual({ status: 'ok', temporal: 'ok', database: 'ok' });
  const held = await client.workflow.getHandle(INSTALLATION_WORKFLOW_ID).describe();
  for (const [index, { kind, name }] of all.entries()) {
    await end[kind](name);
    const { temporal, missing } = await readiness();
    expect(temporal).toBe('incomplete');
    expect(missing).toEqual(all.slice(0, index + 1).map((gap) => ({ ...gap, namespace: server.namespace })));
  }
  await expect.poll(async () => (await readiness()).temporal, WITHIN).toBe('ok');
  const again = await client.workflow.getHandle(INSTALLATION_WORKFLOW_ID).describe();
  expect(again.memo).toEqual(held.memo);
  expect(again.runId).not.toBe(held.runId);
}, 90_000);

test.each(all)('$name comes back alone, and nothing else changes', async ({ kind, name }) => {
  const installation = installationSingleton(async () => {
    await client.workflow.start('sendoffInstallation', { workflowId: INSTALLATION_WORKFLOW_ID, taskQueue: 'nothing' });
  });
  const singletons = [
    installation,
    ...scheduleSingletons(client, [producersSchedule(true)]),
    ...backgroundSingletons(client, HOUR_MS),
  ];
  const warned: unknown[] = [];
  const keeper = await keepSingletons(client, singletons, {
    confirmNamespace: async () => undefined,
    warn: (_message, meta) => warned.push(meta),
    everyMs: 100,
  });
  try {
    await end[kind](name);
    await expect.poll(() => warned, WITHIN).toEqual([{ created: [name] }]);
    expect(await singletonState(client, singletons)).toEqual({ missing: [], paused: [] });
  } finally {
    await keeper.close();
  }
});

test('what a person has paused stays paused, and is reported as such', async () => {
  const singletons = backgroundSingletons(client, HOUR_MS);
  const handle = client.schedule.getHandle(WATCH_SCHEDULE_ID);
  await handle.pause('DNS maintenance');
  const warn = (): void => undefined;
  const keeper = await keepSingletons(client, singletons, {
    confirmNamespace: async () => undefined,
    warn,
    everyMs: 50,
  });
  await keeper.close();
  expect(await singletonState(client, singletons)).toEqual({ missing: [], paused: [WATCH_SCHEDULE_ID] });
  expect((await handle.describe()).state).toMatchObject({ paused: true, note: 'DNS maintenance' });
  await handle.unpause();
});

import { type Client, ScheduleNotFoundError } from '@temporalio/client';
import { pino } from 'pino';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { keepProducersSchedule } from '../../../src/client/agents-md/producers-schedule.ts';
import { readConfig } from '../../../src/config.ts';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import { installationIdOf } from '../../../src/lib/sql/installation-id.ts';
import {
  joinInstallation,
  leaveInstallation,
  OtherInstallationError,
} from '../../../src/client/upkeep/join-installation.ts';
import { startServer } from '../../../src/server.ts';
import { startWorker } from '../../../src/worker.ts';
import { INSTALLATION_WORKFLOW_ID, PRODUCERS_SCHEDULE_ID } from '../../../src/workflows/messages.ts';
import { sharedDevServer, type TestServer } from '../../support/temporal.ts';

let server: TestServer;
let client: Client;
let folder: string;
beforeAll(async () => {
  server = await sharedDevServer();
  ({ client } = server.environment);
  folder = mkdtempSync(join(tmpdir(), 'sendoff-installation-'));
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  await holder()
    .terminate()
    .catch(() => undefined);
});

const holder = () => client.workflow.getHandle(INSTALLATION_WORKFLOW_ID);
const urlOf = (name: string): string => `file:${join(folder, `${name}.db`)}`;
const configOf = (name: string) =>
  readConfig({
    SENDOFF_API_TOKEN: 'a-token-of-more-than-24-characters',
    SENDOFF_SECRET_KEY: randomBytes(32).toString('base64'),
    SENDOFF_DATABASE_URL: urlOf(name),
    SENDOFF_PORT: '0',
    SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: server.namespace,
    EMAIL_PROVIDER_OPERATOR_TOKEN: 'operator',
    DNS_RESOLVERS: '127.0.0.1:9',
  });
const temporal = () => ({ connectionOptions: { address: server.address }, namespace: server.namespace });
const start = {
  server: (name: string) => startServer(configOf(name), temporal(), pino({ level: 'silent' })),
  worker: (name: string) => startWorker(configOf(name), temporal()),
};

async function withDatabase<T>(name: string, use: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(urlOf(name));
  try {
    return await use(database);
  } finally {
    await database.destroy();
  }
}
const joinWith = (name: string) =>
  withDatabase(name, (database) => joinInstallation({ client, database, databaseUrl: urlOf(name) }));

test.each(['server', 'worker'] as const)(
  'a %s with another database refuses to start and says what to do',
  async (program) => {
    const first = await start.server('ours');
    const again = await start[program]('ours');
    const refusal: unknown = await start[program]('other').catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(OtherInstallationError);
    const { message } = refusal as Error;
    expect(message).toContain(await withDatabase('ours', installationIdOf));
    expect(message).toContain(await withDatabase('other', installationIdOf));
    expect(message).toContain(urlOf('other'));
    expect(message).toContain('stop its programs, release the Namespace');
    expect(message).toContain(
      `temporal workflow terminate --namespace ${server.namespace} --workflow-id ${INSTALLATION_WORKFLOW_ID}`,
    );

    // Those that run would claim it again.
    for (const running of [again, first]) await running.stop();
    await holder().terminate();
    const other = await start[program]('other');
    await expect(joinWith('ours')).rejects.toThrow(OtherInstallationError);
    await other.stop();
  },
);

test('of programs that start at once with two databases, only those of one database join', async () => {
  const names = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 'left' : 'right'));
  const joined = await Promise.all(
    names.map((name) =>
      joinWith(name).then(
        () => name,
        () => undefined,
      ),
    ),
  );
  const winners = joined.filter((name) => name !== undefined);
  expect(winners).toHaveLength(5);
  expect(new Set(winners).size).toBe(1);
});

test('a temporary deployment releases its own Namespace only', async () => {
  await joinWith('ours');
  await keepProducersSchedule(client, true);
  const schedule = client.schedule.getHandle(PRODUCERS_SCHEDULE_ID);
  await withDatabase('other', (database) => leaveInstallation({ client, database }));
  await expect(joinWith('other')).rejects.toThrow(OtherInstallationError);
  await schedule.describe();
  await withDatabase('ours', (database) => leaveInstallation({ client, database }));
  await expect(schedule.describe()).rejects.toThrow(ScheduleNotFoundError);
  await joinWith('other');
});

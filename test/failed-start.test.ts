import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startProgram } from '../src/cli/programs/run-program.ts';
import { readConfig } from '../src/config.ts';
import { openDatabase } from '../src/store/database.ts';
import { readEmailServiceConfig } from '../src/email-service/config.ts';
import { startEmailService } from '../src/email-service/main.ts';
import { openStore } from '../src/email-service/store/open-store.ts';
import { createSealer } from '../src/lib/sealing.ts';
import { createSqlSecretStore } from '../src/store/secret-store.ts';
import { startServer } from '../src/server.ts';
import { startOrchestrator } from '../src/start.ts';
import type * as KeepWorkers from '../src/lib/temporal/keep-workers.ts';
import type * as SqlDatabase from '../src/lib/sql/sql-database.ts';
import type { TemporalConfig } from '../src/lib/temporal/temporal-config.ts';
import { startWorker } from '../src/worker.ts';
import { INSTALLATION_WORKFLOW_ID } from '../src/workflows/messages.ts';
import { searchAttributeKeys } from '../src/workflows/search-attributes.ts';
import { emailServiceRequires, orchestratorRequires } from './support/required-settings.ts';
import { listenOnLoopback } from './support/listen-on-loopback.ts';
import { startTcpProxy, type TcpProxy } from './support/tcp-proxy.ts';
import { devServer, type TestServer } from './support/temporal.ts';
import { holdWriteLock } from './support/write-lock.ts';
import { startSendoffWith } from './system/running-sendoff.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

/** Of each database that was opened, whether it was closed. */
const destroyed = vi.hoisted((): boolean[] => []);
/** What each database does once it is open. */
const onceOpen = vi.hoisted(() => ({ run: '' }));
vi.mock('../src/lib/sql/sql-database.ts', async (importOriginal) => {
  const original = await importOriginal<typeof SqlDatabase>();
  return {
    ...original,
    openSqlDatabase: async (...args: Parameters<typeof original.openSqlDatabase>) => {
      const database = await original.openSqlDatabase(...args);
      if (onceOpen.run !== '') await sql.raw(onceOpen.run).execute(database);
      const index = destroyed.push(false) - 1;
      const destroy = database.destroy.bind(database);
      database.destroy = async () => {
        await destroy();
        destroyed[index] = true;
      };
      return database;
    },
  };
});

/** Why the Workers fail as soon as they have started. */
const workers = vi.hoisted(() => ({ failure: undefined as Error | undefined }));
vi.mock('../src/lib/temporal/keep-workers.ts', async (importOriginal) => {
  const original = await importOriginal<typeof KeepWorkers>();
  return {
    keepWorkers: async (...args: Parameters<typeof original.keepWorkers>) => {
      const kept = await original.keepWorkers(...args);
      if (workers.failure === undefined) return kept;
      const run = Promise.reject(workers.failure);
      run.catch(() => undefined);
      return { ...kept, run };
    },
  };
});

// The Runtime of the tests is the one of this process.
vi.mock('../src/lib/temporal/temporal-runtime.ts', () => ({ installTemporalRuntime: () => undefined }));

let temporal: TestServer;
let proxy: TcpProxy;
let taken: Server;
let takenPort: string;
beforeAll(async () => {
  temporal = await devServer({ searchAttributes: searchAttributeKeys });
  proxy = await startTcpProxy(temporal.address);
  taken = createServer();
  takenPort = String(await listenOnLoopback(taken));
});
afterAll(async () => {
  await new Promise((resolve) => taken.close(resolve));
  await proxy.stop();
  await temporal.stop();
});

let folder: string;
beforeEach(async () => {
  folder = temporaryFolder();
});

beforeEach(async () => {
  // Each test has its own database, and a Namespace belongs to one.
  await temporal.environment.client.workflow
    .getHandle(INSTALLATION_WORKFLOW_ID)
    .terminate()
    .catch(() => undefined);
});

const logger = pino({ level: 'silent' });
const at = (): TemporalConfig => ({
  connectionOptions: { address: proxy.address },
  namespace: temporal.namespace,
});

/** The settings of every program. */
const environment = (): Record<string, string> => ({
  ...{ TEMPORAL_ADDRESS: proxy.address, TEMPORAL_NAMESPACE: temporal.namespace },
  ...{ ...orchestratorRequires, ...emailServiceRequires, DNS_RESOLVERS: '127.0.0.1:9' },
  SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: temporal.namespace,
  SENDOFF_DATABASE_URL: `file:${join(folder, 'sendoff.db')}`,
  EMAIL_SERVICE_DATABASE_URL: `file:${join(folder, 'email-service.db')}`,
});

const config = (changes: Readonly<Record<string, string>> = {}) =>
  readConfig({ ...environment(), SENDOFF_PORT: takenPort, ...changes });

const emailServiceConfig = (port = takenPort) =>
  readEmailServiceConfig({
    ...{ ...environment(), EMAIL_SERVICE_PORT: port },
    EMAIL_SERVICE_TEMPORAL_NAMESPACE: temporal.namespace,
  });

/** A database with a secret that no later start knows the key of. */
async function keepSecret(): Promise<void> {
  const database = await openDatabase(config().databaseUrl);
  await createSqlSecretStore(database, createSealer([randomBytes(32)])).put('onboarding/acme/api-key', 'secret');
  await database.destroy();
}
const foreignKey = /SENDOFF_SECRET_KEY decrypts none of the secrets in file:.*SENDOFF_DATABASE_URL/;

describe('a start that fails leaves no connection to Temporal and no database open', () => {
  test.each<[string, RegExp, () => Promise<unknown>]>([
    ['the server, its port taken', /is in use by another/, () => startServer(config(), at(), logger)],
    [
      'server and worker in one process, their port taken',
      /is in use by another/,
      () => startOrchestrator(config(), at(), logger),
    ],
    [
      'the server, its database no file',
      /SENDOFF_DATABASE_URL is file:.*, which cannot be opened: it is a folder/,
      () => startServer(config({ SENDOFF_DATABASE_URL: `file:${folder}` }), at(), logger),
    ],
    [
      'the worker, its database no file',
      /SENDOFF_DATABASE_URL is file:.*, which cannot be opened: it is a folder/,
      () => startWorker(config({ SENDOFF_DATABASE_URL: `file:${folder}` }), at()),
    ],
    [
      'the server, its key that of another database',
      foreignKey,
      () => keepSecret().then(() => startServer(config({ SENDOFF_PORT: '0' }), at(), logger)),
    ],
    [
      'the worker, its key that of another database',
      foreignKey,
      () => keepSecret().then(() => startWorker(config(), at())),
    ],
    [
      'the email service, its port taken',
      /is in use by another/,
      () => startEmailService(emailServiceConfig(), { logger, temporal: at() }),
    ],
  ])('%s', async (_name, message, start) => {
    await expect(start()).rejects.toThrow(message);
    await expect.poll(proxy.connections).toBe(0);
    expect(destroyed.filter((done) => !done)).toEqual([]);
  });
});

test('Workers that fail before the server of their process listens are reported by `run`, not as unhandled', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  workers.failure = new Error('refused');
  try {
    const started = await startOrchestrator(config({ SENDOFF_PORT: '0' }), at(), logger);
    await expect(started.run).rejects.toThrow('refused');
    await started.stop();
    expect(unhandled).toEqual([]);
  } finally {
    workers.failure = undefined;
    process.off('unhandledRejection', note);
  }
});

test.each([
  ['server', () => startServer(config({ SENDOFF_PORT: '0' }), at(), logger)],
  ['worker', () => startWorker(config(), at())],
  ['process of server and worker', () => startOrchestrator(config({ SENDOFF_PORT: '0' }), at(), logger)],
  ['email service', () => startEmailService(emailServiceConfig('0'), { logger, temporal: at() })],
] as const)('the %s starts again while another program holds the locks of the databases', async (_name, start) => {
  const orchestrator = config().databaseUrl;
  const emailService = emailServiceConfig().databaseUrl;
  await (await openDatabase(orchestrator)).destroy();
  await (await openStore(emailService)).destroy();
  // The first start of an email service stores its Namespace.
  await (await start()).stop();
  const unlocks = [orchestrator, emailService].map((url) => holdWriteLock(url.replace('file:', '')));
  try {
    await (await start()).stop();
  } finally {
    for (const unlock of unlocks) unlock();
  }
});

async function noDatabase(): Promise<string> {
  const path = join(folder, 'hostname');
  await writeFile(path, 'no-database.example\n'.repeat(100));
  return path;
}

describe('a program whose database is no database names the setting and the file, and does not blame Temporal', () => {
  test.each(['server', 'worker', 'email-service'] as const)('%s', async (name) => {
    const url = `file:${await noDatabase()}`;
    const setting = name === 'email-service' ? 'EMAIL_SERVICE_DATABASE_URL' : 'SENDOFF_DATABASE_URL';
    const starting = startProgram(name, { ...environment(), [setting]: url });
    await expect(starting).rejects.toMatchObject({
      message: `Cannot start sendoff ${name}`,
      cause: { message: `${setting} is ${url}, which cannot be opened: file is not a database` },
    });
  });

  test('as the command prints it', async () => {
    const path = await noDatabase();
    const { code, stderr } = await runSendoff('start', { SENDOFF_DATABASE_URL: `file:${path}` });
    expect(stderr).toBe(
      `Cannot start sendoff start\n  because: SENDOFF_DATABASE_URL is file:${path}, which cannot be opened: file is not a database\n`,
    );
    expect(code).toBe(1);
  });

  test('setup', async () => {
    const path = await noDatabase();
    const { code, stderr } = await runSendoff('setup', { SENDOFF_DATABASE_URL: `file:${path}` });
    expect(stderr).toBe(`SENDOFF_DATABASE_URL is file:${path}, which cannot be opened: file is not a database\n`);
    expect(code).toBe(1);
  });
});

describe('a program whose database can be opened but not written names the setting and the URL', () => {
  afterEach(() => {
    onceOpen.run = '';
  });

  test.each([
    ['server', 'SENDOFF_DATABASE_URL', 'sendoff.db'],
    ['worker', 'SENDOFF_DATABASE_URL', 'sendoff.db'],
    ['start', 'SENDOFF_DATABASE_URL', 'sendoff.db'],
    ['email-service', 'EMAIL_SERVICE_DATABASE_URL', 'email-service.db'],
  ] as const)('%s', async (name, setting, file) => {
    // As a full disk does, but for SQLite's word for it.
    onceOpen.run = 'pragma query_only = on';
    const settings = { ...environment(), EMAIL_SERVICE_TEMPORAL_NAMESPACE: temporal.namespace };
    await expect(startProgram(name, settings)).rejects.toMatchObject({
      message: `Cannot start sendoff ${name}`,
      cause: {
        message: `${setting} is file:${join(folder, file)}, which cannot be used: attempt to write a readonly database`,
      },
    });
  });
});

test.each([
  ['server', 'absent'],
  ['worker', 'absent'],
  ['email-service', 'absent-email-service'],
] as const)('%s that Temporal keeps from starting names the address and the Namespace', async (name, namespace) => {
  await expect(startProgram(name, { ...environment(), TEMPORAL_NAMESPACE: 'absent' })).rejects.toMatchObject({
    message: `Cannot start sendoff ${name} with Temporal at ${proxy.address}, namespace ${namespace}`,
    cause: { message: expect.stringContaining(`The Namespace ${namespace} does not exist\n`) as string },
  });
});

test('a program names all missing settings', async () => {
  await expect(startProgram('start', {})).rejects.toThrow(
    /^SENDOFF_API_TOKEN is not set\.[^]*^EMAIL_PROVIDER_OPERATOR_TOKEN is not set\./m,
  );
});

test('a worker without an HTTP API needs no token of it, and reads none', async () => {
  await expect(startProgram('worker', {})).rejects.toThrow(/^SENDOFF_SECRET_KEY is not set\./);
  const { SENDOFF_API_TOKEN: _, ...settings } = environment();
  const absent = join(folder, 'absent');
  const worker = await startProgram('worker', { ...settings, SENDOFF_API_TOKEN_FILE: absent });
  await worker.stop();
  await expect(startProgram('server', { ...settings, SENDOFF_API_TOKEN_FILE: absent })).rejects.toThrow(
    `SENDOFF_API_TOKEN_FILE is ${absent}, which cannot be read`,
  );
});

/** The command line in its own process. */
async function runSendoff(name: string, changes: NodeJS.ProcessEnv): Promise<{ code: number | null; stderr: string }> {
  const running = await startSendoffWith({ ...environment(), ...changes }, name);
  const code = await running.ended;
  return { code, stderr: running.stderr() };
}

// A disaster, twice, on each database: that of the orchestrator is restored to an earlier point, and its Namespace is lost. The cohorts of
// tenants are the count of the test's own: every difference is named, and none beside them.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSendoffClient, type SendoffClient } from '../../../src/api-client/sendoff-client.ts';
import { reconcile, type ReconcileOptions } from '../../../src/cli/databases/reconcile.ts';
import { useNamespace } from '../../../src/cli/databases/use-namespace.ts';
import { executionsCheck } from '../../../src/cli/doctor/checks/executions-check.ts';
import { createDoctorContext } from '../../../src/cli/doctor/doctor-context.ts';
import { readConfig } from '../../../src/config.ts';
import { type DataFolder, openDataFolder } from '../../../src/dev/data-folder.ts';
import { localEmailServiceSettings, localOrchestratorSettings } from '../../../src/dev/local-settings.ts';
import { freePort } from '../../../src/dev/temporal/free-port.ts';
import { startWorld, type World } from '../../../src/dev/world/start-world.ts';
import { domainZone } from '../../../src/dev/world/world-zones.ts';
import { toZoneRecords } from '../../../src/dev/world/zone-record.ts';
import { readEmailServiceConfig } from '../../../src/email-service/config.ts';
import { startEmailService } from '../../../src/email-service/main.ts';
import { onboardingWorkflowId } from '../../../src/onboarding/onboarding-ids.ts';
import { startServer } from '../../../src/server.ts';
import { startWorker } from '../../../src/worker.ts';
import { SWEEP_WORKFLOW_ID } from '../../../src/workflows/messages.ts';
import { searchAttributeKeys } from '../../../src/workflows/search-attributes.ts';
import { readDataConverter } from '../../../src/lib/temporal/payload-keys.ts';
import { setUpTemporal } from '../../../src/lib/temporal/setup/set-up-temporal.ts';
import { newDataFolder } from '../../system/running-sendoff.ts';
import { findPostgres } from '../../support/postgres/postgres-cluster.ts';
import { devServer, type TestServer } from '../../support/temporal.ts';
import { type RestorableDatabase, restorablePostgres, restorableSqlite } from './restorable-database.ts';

const SOON = { timeout: 240_000, interval: 200 };
const logger = pino({ level: 'silent' });
/** How many tenants each cohort has. By the environment: 28 are some 300 in the first disaster, and take five minutes on each database. */
const EACH = Number(process.env['RECONCILE_EACH'] ?? 6);
const TEST_MS = 900_000 + EACH * 60_000;

interface Installation {
  readonly database: (folder: DataFolder) => Promise<RestorableDatabase>;
  readonly payloadKeys?: string;
  /** What the operator decides about keys that may have been claimed after the backup. */
  readonly claims: 'accept' | 'revoke';
}
const onSqlite: Installation = {
  database: (folder) => Promise.resolve(restorableSqlite(folder.inside('sendoff.db'))),
  claims: 'accept',
};
const onPostgres = (binaries: string): Installation => ({
  database: (folder) => restorablePostgres({ binaries, backup: folder.inside('sendoff.dump') }),
  payloadKeys: `first:${randomBytes(32).toString('base64')}`,
  claims: 'revoke',
});
const postgres = findPostgres();

let database: RestorableDatabase;
let temporal: TestServer;
let world: World;
let folder: DataFolder;
let api: SendoffClient;
let stopPrograms: () => Promise<void>;
let settings: Readonly<Record<string, string>>;
let emailServiceUrl: string;
let ends: (() => unknown)[] = [];

async function install({ database: open, payloadKeys }: Installation): Promise<void> {
  const path = newDataFolder();
  ends.push(() => {
    rmSync(path, { recursive: true });
  });
  temporal = await devServer({
    searchAttributes: searchAttributeKeys,
    otherNamespaces: ['default-background', 'mail', 'again-background'],
  });
  ends.push(() => temporal.stop());
  folder = await openDataFolder(path, freePort);
  database = await open(folder);
  ends.push(() => database.stop());
  world = await startWorld(folder);
  ends.push(() => world.stop());
  // Not 4.7.z, after which the email service would send more slowly to all who are there.
  world.mail.refuse({ recipient: /^held-/, reply: { code: 451, enhanced: '4.3.2', text: 'Later' } });
  world.mail.refuse({ recipient: /^bounced-/, reply: { code: 550, enhanced: '5.1.1', text: 'No such user' } });
  const [mailPort, port] = [await freePort(), await freePort()];
  const emailService = await startEmailService(
    readEmailServiceConfig({
      ...localEmailServiceSettings(folder, world, { port: mailPort }),
      EMAIL_SERVICE_TEMPORAL_NAMESPACE: 'mail',
    }),
    { logger, temporal: { connectionOptions: { address: temporal.address }, namespace: 'default' } },
  );
  ends.push(() => emailService.stop());
  emailServiceUrl = `http://127.0.0.1:${String(mailPort)}`;
  settings = {
    ...localOrchestratorSettings(folder, world, { port, providerUrl: emailServiceUrl }),
    SENDOFF_DATABASE_URL: database.url,
    ...(payloadKeys !== undefined && { SENDOFF_PAYLOAD_KEYS: payloadKeys }),
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: 'default',
    LOG_LEVEL: 'silent',
  };
  await startPrograms();
}

async function uninstall(): Promise<void> {
  await stopPrograms();
  for (const end of ends.reverse()) await end();
  ends = [];
}

async function startPrograms(): Promise<void> {
  const at = {
    connectionOptions: { address: temporal.address },
    namespace: settings['TEMPORAL_NAMESPACE'] ?? '',
    dataConverter: readDataConverter(settings),
  };
  const [worker, server] = await Promise.all([
    startWorker(readConfig(settings), at),
    startServer(readConfig(settings), at, logger),
  ]);
  api = createSendoffClient({ baseUrl: server.url, token: folder.saved.apiToken });
  stopPrograms = async () => {
    await Promise.all([worker.stop(), server.stop()]);
  };
}

/** A few at once: the machine has other work. */
async function inParallel(tenants: readonly string[], act: (tenantId: string) => unknown): Promise<void> {
  const left = [...tenants];
  const next = async (): Promise<void> => {
    for (let tenantId = left.shift(); tenantId !== undefined; tenantId = left.shift()) await act(tenantId);
  };
  await Promise.all([next(), next(), next(), next()]);
}
/** The tenants of each. */
const cohorts = <const Names extends readonly string[]>(...names: Names) =>
  names.map((name) => Array.from({ length: EACH }, (_, index) => `${name}-${String(index)}`)) as {
    [Index in keyof Names]: string[];
  };
const path = (tenantId: string) => ({ params: { path: { tenantId } } });

const begin = (tenantId: string) =>
  api.PUT('/onboardings/{tenantId}', {
    ...path(tenantId),
    body: {
      domain: `${tenantId}.test`,
      fromAddress: `hello@${tenantId}.test`,
      firstEmail: { recipient: `${tenantId}@inbox.test`, subject: 'Welcome', body: 'It works.' },
    },
  });
const view = async (tenantId: string) => (await api.GET('/onboardings/{tenantId}', path(tenantId))).data;
const stageOf = async (tenantId: string): Promise<string> => {
  const { outcome, stage } = await view(tenantId);
  return outcome === 'running' ? stage : outcome;
};
const reaches = (stage: string) => (tenantId: string) => expect.poll(() => stageOf(tenantId), SOON).toBe(stage);
async function publish(tenantId: string): Promise<void> {
  await expect.poll(async () => (await view(tenantId)).onboarding.records.length, SOON).toBeGreaterThan(0);
  const { records } = (await view(tenantId)).onboarding;
  world.dns.publish([...domainZone(`${tenantId}.test`), ...toZoneRecords(records)]);
}
/** By tenant, as its backend has them. */
const tokens = new Map<string, string>();
async function claim(tenantId: string): Promise<void> {
  const { data } = await api.POST('/onboardings/{tenantId}/api-key/claim', { ...path(tenantId), body: { by: 'ada' } });
  tokens.set(tenantId, data.token);
}
/** Those of the tenants whose claimed token the email service accepts. */
async function acceptedTokens(tenants: readonly string[]): Promise<string[]> {
  const accepted: string[] = [];
  for (const tenantId of tenants) {
    const authorization = `Bearer ${tokens.get(tenantId) ?? ''}`;
    const { status } = await fetch(`${emailServiceUrl}/emails`, { headers: { authorization } });
    expect([200, 401]).toContain(status);
    if (status === 200) accepted.push(tenantId);
  }
  return accepted;
}
const messagesTo = (tenantId: string): number =>
  world.mail.received().filter(({ to }) => to.includes(`${tenantId}@inbox.test`)).length;

interface Report {
  readonly differences: readonly { kind: string; tenantId: string; repaired: boolean; left: string | null }[];
  readonly left: number;
}
async function run(options: ReconcileOptions = {}): Promise<Report & { exitCode: number }> {
  let text = '';
  const context = { environment: settings, write: (part: string) => void (text += part), progress: process.stderr };
  const exitCode = await reconcile({ ...options, json: true }, context);
  return { ...(JSON.parse(text) as Report), exitCode };
}
const kinds = ({ differences }: Report): Record<string, string> =>
  Object.fromEntries(differences.map(({ tenantId, kind }) => [tenantId, kind]));
const expected = (kindOf: Readonly<Record<string, readonly string[]>>): Record<string, string> =>
  Object.fromEntries(Object.entries(kindOf).flatMap(([kind, tenants]) => tenants.map((tenantId) => [tenantId, kind])));

/** Those that wait for the delivery note their stage at the next attempt. */
const recorded = () =>
  database.rows(
    "select tenant_id, attempt_id, outcome, case when tenant_id like 'held-%' then '' else stage end as stage from onboardings order by 1",
  );
const restoredAt = async () => (await database.rows('select restored_at as at from installation'))[0]?.['at'];

async function doctorSays(): Promise<string> {
  const context = createDoctorContext(settings, {});
  try {
    const { state, found, remedy } = await executionsCheck.run(context, AbortSignal.timeout(30_000));
    return `${state}: ${found} → ${String(remedy)}`;
  } finally {
    await context.close();
  }
}

async function sweepAttempts(): Promise<number> {
  const { pendingActivities } = await temporal.environment.client.workflowService.describeWorkflowExecution({
    namespace: 'default-background',
    execution: { workflowId: SWEEP_WORKFLOW_ID },
  });
  return pendingActivities[0]?.attempt ?? 0;
}

/** Stops the sweep, which would repair a part by itself, or lets it go on. */
async function pauseSweep(call: 'pauseActivity' | 'unpauseActivity'): Promise<void> {
  const { workflowService } = temporal.environment.client;
  const activity = {
    namespace: 'default-background',
    execution: { workflowId: SWEEP_WORKFLOW_ID },
    id: 'sweep-register',
    identity: 'test',
  };
  await (call === 'pauseActivity'
    ? workflowService.pauseActivity(activity)
    : workflowService.unpauseActivity(activity));
}

async function loseAnHour({ claims }: Installation): Promise<void> {
  const [waiting, finished, cancelled, bounced, held, terminated, again, claimed, unclaimed, late, lateEnd] = cohorts(
    ...(['waiting', 'finished', 'cancelled', 'bounced', 'held', 'terminated', 'again', 'claimed'] as const),
    ...(['unclaimed', 'late', 'lateend'] as const),
  );
  const before = [waiting, finished, cancelled, bounced, held, terminated, again, claimed, unclaimed].flat();
  await inParallel(before, begin);
  await inParallel([...claimed, ...unclaimed], publish);
  await inParallel([...claimed, ...unclaimed], reaches('onboarded'));
  await inParallel(claimed, claim);
  await inParallel(
    before.filter((tenantId) => !tenantId.includes('claimed')),
    reaches('awaitingDomain'),
  );

  await database.backUp();

  await inParallel(unclaimed, claim);
  await inParallel([...late, ...lateEnd], begin);
  await inParallel([...finished, ...bounced, ...held, ...lateEnd], publish);
  await inParallel([...cancelled, ...again], (tenantId) => api.POST('/onboardings/{tenantId}/cancel', path(tenantId)));
  await inParallel(terminated, (tenantId) =>
    temporal.environment.client.workflow.getHandle(onboardingWorkflowId(tenantId)).terminate('test'),
  );
  await inParallel([...finished, ...lateEnd], reaches('onboarded'));
  await inParallel(bounced, reaches('failed'));
  await inParallel(held, reaches('awaitingDelivery'));
  await inParallel([...cancelled, ...again], reaches('cancelled'));
  await inParallel(again, begin);
  await inParallel([...late, ...again], reaches('awaitingDomain'));
  // One sweep more, which sees the latest event.
  await expect.poll(() => stageOf(terminated[0] ?? ''), SOON).toBe('terminated');
  const sweeps = await sweepAttempts();
  await expect.poll(sweepAttempts, SOON).toBeGreaterThan(sweeps + 1);
  await pauseSweep('pauseActivity');

  await stopPrograms();
  await database.restore();
  await startPrograms();

  const old = await recorded();
  const differences = expected({
    old_record: [...finished, ...cancelled, ...bounced, ...held, ...terminated],
    missing_key: [...late, ...again],
    missing_record: lateEnd,
  });
  const dry = await run();
  expect(kinds(dry)).toEqual(differences);
  expect(dry.exitCode).toBe(1);
  expect(await recorded()).toEqual(old);
  expect(await doctorSays()).toMatch(/^problem: the register has no record of \d+ onboardings .*sendoff reconcile$/);

  await pauseSweep('unpauseActivity');
  await expect.poll(restoredAt, SOON).not.toBeNull();
  expect(await doctorSays()).toMatch(/^problem: the database was restored before .*sendoff reconcile$/);

  // While it repairs, tenants go on.
  const [first] = await Promise.all([run({ apply: true }), inParallel(waiting, publish)]);
  expect(first.differences.filter(({ kind, repaired }) => !repaired && kind !== 'claimable_key')).toEqual([]);
  const undecided = first.differences.filter(({ kind }) => kind === 'claimable_key').map(({ tenantId }) => tenantId);
  expect(undecided.sort()).toEqual([...unclaimed, ...finished, ...bounced].sort());
  expect(first.exitCode).toBe(1);

  const decided = await run({ apply: true, claims });
  expect(decided).toMatchObject({ exitCode: 0, left: 0 });
  expect(await acceptedTokens(claimed)).toEqual(claimed);
  expect(await acceptedTokens(unclaimed)).toEqual(claims === 'accept' ? unclaimed : []);
  expect(await run()).toMatchObject({ exitCode: 0, differences: [] });
  expect(await doctorSays()).toMatch(/^ok: /);

  await inParallel([...late, ...again], reaches('awaitingDomain'));
  await inParallel([...late, ...again], publish);
  await inParallel([waiting, late, again, finished, lateEnd].flat(), reaches('onboarded'));
  await inParallel(held, async (tenantId) => {
    const { stage, onboarding } = await view(tenantId);
    expect({ stage, sender: onboarding.senderId !== null, email: onboarding.emailId !== null }).toEqual({
      ...{ stage: 'awaitingDelivery', sender: true, email: true },
    });
  });
  for (const [tenants, stage] of [
    [cancelled, 'cancelled'],
    [bounced, 'failed'],
    [terminated, 'terminated'],
  ] as const)
    await inParallel(tenants, reaches(stage));
  for (const tenantId of [waiting, late, again, finished, lateEnd, claimed, unclaimed].flat())
    expect(`${tenantId}: ${String(messagesTo(tenantId))}`).toBe(`${tenantId}: 1`);
  expect(await run()).toMatchObject({ exitCode: 0, differences: [] });
}

async function loseNamespace(): Promise<void> {
  const [open, sent, done, undoing] = cohorts('open', 'held-again', 'done', 'gone');
  await inParallel([open, sent, done, undoing].flat(), begin);
  await inParallel([...sent, ...done], publish);
  await inParallel(done, reaches('onboarded'));
  await inParallel(sent, reaches('awaitingDelivery'));
  await inParallel([...open, ...undoing], reaches('awaitingDomain'));
  const running = (
    await database.rows("select tenant_id as id from onboardings where outcome = 'running' order by 1")
  ).map((row) => String(row['id']));
  await stopPrograms();

  settings = { ...settings, TEMPORAL_NAMESPACE: 'again' };
  const { connection } = temporal.environment;
  await setUpTemporal({
    connection,
    address: temporal.address,
    namespace: 'again',
    searchAttributes: searchAttributeKeys,
  });
  const context = { environment: settings, write: () => undefined, progress: process.stderr };
  await expect(run()).rejects.toThrow('sendoff store use-namespace');
  await expect(useNamespace({ only: 'orchestrator' }, context)).rejects.toThrow('--keep-running');
  expect(await useNamespace({ only: 'orchestrator', keepRunning: true }, context)).toBe(0);

  // No Worker is needed to find them.
  const dry = await run();
  expect(kinds(dry)).toEqual(expected({ missing_execution: running }));
  expect(running.length).toBeGreaterThanOrEqual(3 * EACH);
  await startPrograms();
  expect(await doctorSays()).toMatch(/^problem: Temporal has no execution of \d+ onboardings/);
  // An operator ends some of them; a repetition and another process find nothing left.
  await inParallel(undoing, (tenantId) => api.POST('/onboardings/{tenantId}/cancel', path(tenantId)));
  const [one, other] = await Promise.all([run({ apply: true }), run({ apply: true })]);
  // A busy Worker may not answer in time for one that has just begun.
  const left = [...one.differences, ...other.differences].filter(({ repaired }) => !repaired);
  expect(left.filter(({ kind }) => kind !== 'not_compared')).toEqual([]);
  await expect.poll(() => run({ apply: true }), SOON).toMatchObject({ exitCode: 0, differences: [] });
  expect(await doctorSays()).toMatch(/^ok: /);
  await inParallel(open, reaches('awaitingDomain'));
  await inParallel(open, publish);
  await inParallel(open, reaches('onboarded'));
  await inParallel(sent, reaches('awaitingDelivery'));
  await inParallel(undoing, reaches('terminated'));
  for (const tenantId of [...open, ...done])
    expect(`${tenantId}: ${String(messagesTo(tenantId))}`).toBe(`${tenantId}: 1`);
  // One text each, encrypted, as long as the onboarding runs.
  const texts = await database.rows("select ref from secrets where ref like '%/first-email'");
  const stillRunning = await database.rows("select tenant_id from onboardings where outcome = 'running'");
  expect(texts).toHaveLength(stillRunning.length);
}

describe.each([
  ['SQLite', onSqlite],
  ...(postgres === undefined ? [] : [['PostgreSQL, with encrypted payloads', onPostgres(postgres)] as const]),
] as const)('on %s', (_, installation) => {
  beforeAll(() => install(installation), 120_000);
  afterAll(uninstall);
  test(
    'a database restored to an earlier point: every difference is named and repaired, while programs run',
    () => loseAnHour(installation),
    TEST_MS,
  );
  test(
    'a Namespace that is lost: every running onboarding starts again in another one with its own input',
    loseNamespace,
    TEST_MS,
  );
});

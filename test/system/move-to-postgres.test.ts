// An onboarding that waits moves from SQLite to PostgreSQL with the commands of docs/operating.md: only whole programs, before and
// after, show that it continues.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSendoffClient, type SendoffClient } from '../../src/api-client/sendoff-client.ts';
import { readConfig } from '../../src/config.ts';
import { localEmailServiceSettings, localOrchestratorSettings } from '../../src/dev/local-settings.ts';
import { freePort } from '../../src/dev/temporal/free-port.ts';
import { readEmailServiceConfig } from '../../src/email-service/config.ts';
import { startEmailService } from '../../src/email-service/main.ts';
import { createClosers } from '../../src/lib/closers.ts';
import { startServer } from '../../src/server.ts';
import { startWorker } from '../../src/worker.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import { packagedCommand } from '../support/packaged-command.ts';
import { releaseFiles } from '../support/release-files.ts';
import { emptyTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { publishRecords, startOnboarding, startSurroundings, type Surroundings, viewOf } from './programs-here.ts';

const SOON = { timeout: 60_000, interval: 200 };
const logger = pino({ level: 'silent' });
const page = readFileSync(fileURLToPath(new URL('../../docs/operating.md', import.meta.url)), 'utf8');

const closers = createClosers();
let here: Surroundings;
let postgres: TestDatabase;
let ports: readonly number[];
let client: SendoffClient;

beforeAll(async () => {
  here = await startSurroundings(closers, {
    searchAttributes: searchAttributeKeys,
    otherNamespaces: ['default-background', 'mail'],
  });
  postgres = await emptyTestDatabase();
  closers.add(() => postgres.end());
  ports = [await freePort(), await freePort()];
});
afterAll(() => closers.close());

/** All settings of both programs; on SQLite, in the folder in which the page's commands run. */
function settings(databases: Record<string, string>): Record<string, string> {
  const [port = 0, emailServicePort = 0] = ports;
  const { folder, world, temporal } = here;
  return {
    ...localOrchestratorSettings(folder, world, { port, providerUrl: `http://127.0.0.1:${String(emailServicePort)}` }),
    ...localEmailServiceSettings(folder, world, { port: emailServicePort }),
    EMAIL_SERVICE_TEMPORAL_NAMESPACE: 'mail',
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
    LOG_LEVEL: 'silent',
    ...databases,
  };
}

async function startAll(environment: Record<string, string>): Promise<() => Promise<void>> {
  const programs = createClosers();
  const { at, folder } = here;
  closers.add(programs.close);
  const emailService = await startEmailService(readEmailServiceConfig(environment), { logger, temporal: at });
  programs.add(() => emailService.stop());
  const worker = await startWorker(readConfig(environment), at);
  programs.add(() => worker.stop());
  const server = await startServer(readConfig(environment), at, logger);
  programs.add(() => server.stop());
  client = createSendoffClient({ baseUrl: server.url, token: folder.saved.apiToken });
  return programs.close;
}

/** Runs the command blocks of the page's section, in a process each, and returns what each printed. */
async function runCommands(heading: string, environment: Record<string, string>): Promise<Record<string, string>> {
  const [, section = ''] = new RegExp(`^## ${heading}\\n([^]*?)(?=^## )`, 'm').exec(page) ?? [];
  const commands = [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  );
  const bin = await packagedCommand();
  const shims = join(here.path, 'bin');
  mkdirSync(shims);
  writeFileSync(join(shims, 'sendoff'), `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`, { mode: 0o700 });
  const env = { ...environment, PATH: [shims, process.env['PATH'] ?? ''].join(delimiter), POSTGRES_URL: postgres.url };
  const printed: Record<string, string> = {};
  for (const command of commands) {
    const { stdout, stderr } = await promisify(execFile)('/bin/sh', ['-c', command], { cwd: here.path, env }).catch(
      (error: unknown) => error as { stdout: string; stderr: string },
    );
    printed[command] = stdout + stderr;
  }
  return printed;
}

const view = () => viewOf(client, 'acme');

test('an onboarding that waits on SQLite is delivered on PostgreSQL after a copy', async () => {
  const onFiles = {
    SENDOFF_DATABASE_URL: `file:${join(here.path, 'data', 'sendoff.db')}`,
    EMAIL_SERVICE_DATABASE_URL: `file:${join(here.path, 'data', 'email-service.db')}`,
  };
  const stop = await startAll(settings(onFiles));
  await startOnboarding(client, 'acme');
  const findings = async () => (await view()).onboarding.records.flatMap((record) => record.findings);
  await expect.poll(findings, SOON).not.toEqual([]);
  const before = await view();
  await stop();
  await releaseFiles();

  const onPostgres = { SENDOFF_DATABASE_URL: postgres.url, EMAIL_SERVICE_DATABASE_URL: postgres.url };
  const printed = await runCommands('Move to PostgreSQL', settings(onPostgres));
  const [migrated = '', copied = '', copiedStore = '', checked = ''] = Object.values(printed);
  expect(migrated).toMatch(/applied 1 migration: [^]*applied 1 migration: /);
  expect(copied).toMatch(/^orchestrator: file:[^]*onboardings: 1 row, [^]*counts and checksums of both are equal/);
  expect(copiedStore).toMatch(/^email-service: file:[^]*domains: 1 row, [^]*counts and checksums of both are equal/);
  for (const line of ['database', 'database of the Namespace', 'keys', 'email service database', 'email service keys'])
    expect(checked).toMatch(new RegExp(`^OK +${line}  `, 'm'));

  await startAll(settings(onPostgres));
  const { onboarding, runId } = await view();
  expect({ runId, records: onboarding.records, stage: onboarding.stage }).toEqual({
    runId: before.runId,
    records: before.onboarding.records,
    stage: 'awaitingDomain',
  });
  await publishRecords(client, here.world, 'acme');
  await client.POST('/onboardings/{tenantId}/check-now', {
    params: { path: { tenantId: 'acme' } },
    body: { by: 'the test' },
  });
  await expect.poll(async () => (await view()).outcome, SOON).toBe('onboarded');
  expect(here.world.mail.received().filter(({ to }) => to.includes('acme@inbox.test'))).toHaveLength(1);
}, 300_000);

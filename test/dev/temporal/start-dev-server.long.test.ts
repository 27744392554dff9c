import { createServer } from 'node:net';
import { join } from 'node:path';
import { defineSearchAttributeKey } from '@temporalio/common';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isRunning } from '../../../src/dev/temporal/is-running.ts';
import { startDevServer } from '../../../src/dev/temporal/start-dev-server.ts';
import type { DevServer, StartDevServerOptions } from '../../../src/dev/temporal/start-dev-server.ts';
import { portAnswers } from '../../../src/dev/temporal/free-port.ts';
import { waitUntil } from '../../../src/lib/timing/wait-until.ts';
import { listenOnLoopback } from '../../support/listen-on-loopback.ts';
import { LIGHT_GO } from '../../support/light-go.ts';
import { temporalCli } from '../../support/temporal.ts';
import { packagedModule } from '../../support/packaged-command.ts';
import { runScript } from './script-process.ts';
import { clientOf as client, startWorkflow } from './start-workflow.ts';
import { keys, stageKey } from './search-attributes.ts';
import { temporaryFolder, writeProgram } from '../../support/temporary-folder.ts';

async function start(options: Partial<StartDevServerOptions> = {}): Promise<DevServer> {
  const executable = await temporalCli();
  const common = { executable, namespace: 'onboardings', searchAttributes: keys, environment: LIGHT_GO };
  const server = await startDevServer({ ...common, ...options });
  onTestFinished(server.stop);
  return server;
}

async function listedIds(server: Pick<DevServer, 'address' | 'namespace'>): Promise<string[]> {
  const ids: string[] = [];
  const query = 'SendoffTenant = "acme"';
  for await (const { workflowId } of (await client(server)).workflow.list({ query })) ids.push(workflowId);
  return ids;
}

function portOf(address: string): number {
  return Number(address.split(':')[1]);
}

test('accepts a Workflow with all Search Attributes once it has started, and serves its UI', async () => {
  const lines: string[] = [];
  const server = await start({ log: (line) => lines.push(line) });
  await startWorkflow(server, 'onboarding/acme');
  expect((await fetch(server.uiUrl)).status).toBe(200);
  expect(await waitUntil(() => lines.some((line) => line.includes('UI:')), { timeoutMs: 5_000 })).toBe(true);
});

test('stop ends the process, closes its ports and does not reject `run`; a second stop does nothing', async () => {
  const server = await start();
  const ended = vi.fn();
  void server.run.catch(ended);
  expect(isRunning(server.pid)).toBe(true);
  await server.stop();
  await server.stop();
  expect(isRunning(server.pid)).toBe(false);
  expect(await portAnswers(portOf(server.address))).toBe(false);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(ended).not.toHaveBeenCalled();
});

test('a server that ends by itself rejects `run`', async () => {
  const killed = await start();
  process.kill(killed.pid, 'SIGKILL');
  await expect(killed.run).rejects.toThrow(/^The Temporal dev server ended with SIGKILL\. /u);
});

test('keeps Workflows in a data file, and adds what the file of an earlier version lacks', async () => {
  const dataFile = join(temporaryFolder(), 'made', 'temporal.sqlite');
  const first = await start({ dataFile, searchAttributes: [] });
  await (await client(first)).workflow.start('onboardTenant', { workflowId: 'kept', taskQueue: 'without-worker' });
  await expect(start({ dataFile })).rejects.toThrow(`Another Temporal server uses ${dataFile}`);
  expect(isRunning(first.pid)).toBe(true);
  await first.stop();

  const second = await start({ dataFile, otherNamespaces: ['emails'] });
  const { workflow } = await client(second);
  expect(await workflow.getHandle('kept').describe()).toMatchObject({ status: { name: 'RUNNING' } });
  await startWorkflow(second, 'onboarding/acme');
  const emails = await client({ ...second, namespace: 'emails' });
  await emails.workflow.start('deliverEmail', { workflowId: 'deliver-email/1', taskQueue: 'without-worker' });
});

test('ends within seconds after its parent was killed; the next server on the data file has its Workflows', async () => {
  const dataFile = join(temporaryFolder(), 'temporal.sqlite');
  const parent = runScript(`
    const { startDevServer } = await import(${JSON.stringify(await packagedModule('dev/temporal/start-dev-server.js'))});
    const server = await startDevServer({
      executable: ${JSON.stringify(await temporalCli())},
      dataFile: ${JSON.stringify(dataFile)},
      namespace: 'onboardings',
      searchAttributes: ${JSON.stringify(keys)},
    });
    console.log('server ' + server.pid + ' ' + server.address);
  `);
  const [, pid, address] = (await parent.line('server ')).split(' ');
  await startWorkflow({ address: address ?? '', namespace: 'onboardings' }, 'onboarding/acme');

  parent.child.kill('SIGKILL');
  await parent.ended();
  // At once, while the orphan still ends: the new start has to wait for it.
  const next = await start({ dataFile });

  expect(isRunning(Number(pid))).toBe(false);
  expect(await waitUntil(async () => (await listedIds(next)).includes('onboarding/acme'), { timeoutMs: 10_000 })).toBe(
    true,
  );
});

test('throws with the message of the server if a given port is taken', async () => {
  const taken = createServer();
  const uiPort = await listenOnLoopback(taken);
  onTestFinished(() => void taken.close());
  await expect(start({ uiPort })).rejects.toThrow(/did not start.*address already in use/su);
});

test.each([
  [
    'another program has taken a port that was free',
    'echo "listen tcp 127.0.0.1:1: bind: address already in use" >&2; exit 1',
  ],
  [
    'another program has taken a port that it chose for an internal service',
    'echo "panic: listen tcp 127.0.0.1:1: bind: address already in use" >&2; seq 40 | sed "s/^/goroutine /" >&2; exit 2',
  ],
  [
    'its database was locked while it made its Namespaces',
    'echo "error: unable to register namespace: database is locked (5) (SQLITE_BUSY)" >&2; exit 1',
  ],
])('starts the server again if %s', async (_cause, ending) => {
  const folder = temporaryFolder();
  const once = join(folder, 'once');
  const script = `if ! test -e ${once}; then touch ${once}; ${ending}; fi\nexec ${await temporalCli()} "$@"`;
  const executable = writeProgram(folder, 'temporal', script);
  await startWorkflow(await start({ executable }), 'onboarding/acme');
});

test('throws with the last lines of a server that fails to start', async () => {
  const executable = writeProgram(temporaryFolder(), 'temporal', 'echo "schema version mismatch" >&2\nexit 1');
  await expect(start({ executable })).rejects.toThrow(
    'The Temporal dev server did not start: it ended with exit code 1. Its last lines:\nschema version mismatch',
  );
});

test('throws with what a server printed that refused its set-up, without the lines of the stop', async () => {
  const dataFile = join(temporaryFolder(), 'temporal.sqlite');
  const otherType = defineSearchAttributeKey(stageKey.name, 'INT');
  await (await start({ dataFile, searchAttributes: [otherType] })).stop();
  const lines: string[] = [];
  const failed = await start({ dataFile, log: (line) => lines.push(line) }).catch(String);
  expect(failed).toContain('The Temporal dev server did not start: ');
  expect(failed).toContain(stageKey.name);
  expect(lines.at(-1)).not.toBe('');
  expect(failed).not.toContain(lines.at(-1));
});

test('a failed start releases its data file', async () => {
  const folder = temporaryFolder();
  const dataFile = join(folder, 'temporal.sqlite');
  await expect(start({ dataFile, executable: join(folder, 'missing') })).rejects.toThrow(/did not start/u);
  await start({ dataFile });
});

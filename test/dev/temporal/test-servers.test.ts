import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from '@temporalio/worker';
import { expect, onTestFinished, test } from 'vitest';
import { portAnswers } from '../../../src/dev/temporal/free-port.ts';
import { waitUntil } from '../../../src/lib/timing/wait-until.ts';
import { devServer, temporalCli, timeSkippingServer, timeSkippingServerPath } from '../../support/temporal.ts';
import { packagedModule } from '../../support/packaged-command.ts';
import { runScript } from './script-process.ts';
import { keys, tenantKey } from './search-attributes.ts';

const workflowsPath = fileURLToPath(new URL('./workflows/wait-long.ts', import.meta.url));

test('72 hours pass in seconds on the time-skipping server, Search Attributes included', async () => {
  const { environment, namespace, stop } = await timeSkippingServer(keys);
  onTestFinished(stop);
  const startedAt = await environment.currentTimeMs();
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    namespace,
    taskQueue: 'waiting',
    workflowsPath,
  });
  const result = await worker.runUntil(
    environment.client.workflow.execute('waitLong', {
      workflowId: 'onboarding/acme',
      taskQueue: 'waiting',
      typedSearchAttributes: [{ key: tenantKey, value: 'acme' }],
    }),
  );
  expect(result).toBe('waited');
  expect((await environment.currentTimeMs()) - startedAt).toBeGreaterThanOrEqual(72 * 3_600_000);
});

test('each time-skipping server has a clock of its own', async () => {
  const [first, second] = await Promise.all([timeSkippingServer(keys), timeSkippingServer(keys)]);
  onTestFinished(async () => {
    await first.stop();
    await second.stop();
  });
  await first.environment.sleep('100 hours');
  const ahead = (await first.environment.currentTimeMs()) - (await second.environment.currentTimeMs());
  expect(ahead).toBeGreaterThan(99 * 3_600_000);
});

test('a time-skipping server serves the next test in another Namespace', async () => {
  const keysOfThisTest = [...keys];
  const first = await timeSkippingServer(keysOfThisTest);
  await first.stop();
  const second = await timeSkippingServer(keysOfThisTest);
  await second.stop();
  expect(second.address).toBe(first.address);
  expect(second.namespace).not.toBe(first.namespace);
});

test('a time-skipping server on which a Workflow still runs is ended, not used again', async () => {
  const { environment, address, stop } = await timeSkippingServer(keys);
  await environment.client.workflow.start('waitLong', { workflowId: 'onboarding/acme', taskQueue: 'nobody' });
  await stop();
  const port = Number(address.split(':')[1]);
  expect(await waitUntil(async () => !(await portAnswers(port)), { timeoutMs: 10_000 })).toBe(true);
});

test('a time-skipping server whose test process was killed ends within seconds', async () => {
  const parent = runScript(`
    const { spawnTied } = await import(${JSON.stringify(await packagedModule('dev/temporal/spawn-tied.js'))});
    const { freePort, portAnswers } = await import(${JSON.stringify(await packagedModule('dev/temporal/free-port.js'))});
    const { waitUntil } = await import(${JSON.stringify(await packagedModule('lib/timing/wait-until.js'))});
    const port = await freePort();
    const server = spawnTied({ executable: ${JSON.stringify(await timeSkippingServerPath())}, args: [String(port)] });
    server.stdout.resume();
    server.stderr.resume();
    await waitUntil(() => portAnswers(port), { timeoutMs: 60_000 });
    console.log('port ' + port);
  `);
  const port = Number((await parent.line('port ')).split(' ')[1]);
  expect(await portAnswers(port)).toBe(true);
  parent.child.kill('SIGKILL');
  expect(await waitUntil(async () => !(await portAnswers(port)), { timeoutMs: 10_000 })).toBe(true);
});

test('the CLI shows a Workflow of the dev server', async () => {
  const { environment, address, namespace, stop } = await devServer({ searchAttributes: keys, namespace: 'other' });
  onTestFinished(stop);
  await environment.client.workflow.start('waitLong', { workflowId: 'onboarding/acme', taskQueue: 'nobody' });
  const { stdout } = await promisify(execFile)(await temporalCli(), [
    ...['workflow', 'show', '--workflow-id', 'onboarding/acme', '--output', 'json'],
    ...['--address', address, '--namespace', namespace],
  ]);
  expect(stdout).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_STARTED');
});

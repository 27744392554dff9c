import { SearchAttributeType, defineSearchAttributeKey } from '@temporalio/common';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort, portAnswers } from '../../../src/dev/temporal/free-port.ts';
import { startTemporal } from '../../../src/dev/temporal/start-temporal.ts';
import type { RunningTemporal, StartTemporalOptions } from '../../../src/dev/temporal/start-temporal.ts';
import { devServer, temporalCli } from '../../support/temporal.ts';
import type { TestServer } from '../../support/temporal.ts';
import { keys, tenantKey } from './search-attributes.ts';
import { startWorkflow } from './start-workflow.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let running: TestServer;
beforeAll(async () => {
  running = await devServer({ searchAttributes: [] });
});
afterAll(() => running.stop());

async function start(options: Partial<StartTemporalOptions>): Promise<RunningTemporal> {
  const started = await startTemporal({
    environment: { TEMPORAL_ADDRESS: running.address },
    cacheFolder: temporaryFolder(),
    namespace: 'onboardings',
    searchAttributes: keys,
    report: () => undefined,
    ...options,
  });
  onTestFinished(started.stop);
  return started;
}

test('creates the Namespace and the Search Attributes on the server of TEMPORAL_ADDRESS', async () => {
  const temporal = await start({ namespace: 'brand-new' });
  await startWorkflow(temporal, 'onboarding/acme');
  expect(temporal).toMatchObject({ address: running.address, namespace: 'brand-new', uiUrl: undefined });
});

test('a second start, even at the same time, changes nothing', async () => {
  const [first] = await Promise.all([start({ namespace: 'again' }), start({ namespace: 'again' })]);
  await startWorkflow(first, 'onboarding/acme');
  await startWorkflow(await start({ namespace: 'again' }), 'onboarding/globex');
});

test('adds a new Search Attribute at the next start', async () => {
  await start({ namespace: 'growing', searchAttributes: [tenantKey] });
  await startWorkflow(await start({ namespace: 'growing' }), 'onboarding/acme');
});

test('throws for a Search Attribute of another type, and names it', async () => {
  await start({
    namespace: 'typed',
    searchAttributes: [defineSearchAttributeKey('SendoffStage', SearchAttributeType.INT)],
  });
  await expect(start({ namespace: 'typed' })).rejects.toThrow(
    'The Search Attribute SendoffStage has the type Int; sendoff needs Keyword',
  );
});

test('stop leaves the server of TEMPORAL_ADDRESS running', async () => {
  const temporal = await start({});
  await temporal.stop();
  expect(await portAnswers(Number(running.address.split(':')[1]))).toBe(true);
});

test('throws if no server answers at TEMPORAL_ADDRESS, and starts none', async () => {
  const temporalAddress = `127.0.0.1:${String(await freePort())}`;
  const connectionOptions = { connectTimeout: 500 };
  await expect(
    start({
      environment: { TEMPORAL_ADDRESS: temporalAddress, PATH: dirname(await temporalCli()) },
      connectionOptions,
    }),
  ).rejects.toThrow(`Cannot use the server ${temporalAddress} of TEMPORAL_ADDRESS: no Temporal server answers`);
});

test('starts a dev server without TEMPORAL_ADDRESS, with the named CLI, and reports each step', async () => {
  const reports: string[] = [];
  const temporalCliPath = await temporalCli();
  const temporal = await start({
    environment: { TEMPORAL_ADDRESS: '', TEMPORAL_CLI_PATH: temporalCliPath },
    report: (line) => reports.push(line),
  });
  await startWorkflow(temporal, 'onboarding/acme');
  expect(reports).toEqual([
    `Starting a Temporal dev server with ${temporalCliPath}`,
    `Temporal is ready at ${temporal.address}, its UI at ${String(temporal.uiUrl)}`,
  ]);
});

import '../../support/quiet-temporal.ts';
import { Client } from '@temporalio/client';
import { copyFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useNamespace } from '../../../src/cli/databases/use-namespace.ts';
import { OtherInstallationError } from '../../../src/client/upkeep/join-installation.ts';
import { knownNamespace } from '../../../src/lib/sql/known-namespace.ts';
import { OtherNamespaceError } from '../../../src/lib/temporal/recognize-namespace.ts';
import { setUpTemporal } from '../../../src/lib/temporal/setup/set-up-temporal.ts';
import { NotSetUpError } from '../../../src/lib/temporal/setup/require-setup.ts';
import { onboardingWorkflowId } from '../../../src/onboarding/onboarding-ids.ts';
import { createSqlRegister } from '../../../src/store/onboarding/sql-register.ts';
import { INSTALLATION_WORKFLOW_ID, ONBOARDING_WORKFLOW_TYPE } from '../../../src/workflows/messages.ts';
import { searchAttributeKeys } from '../../../src/workflows/search-attributes.ts';
import { beginOnboarding } from '../../support/begin-onboarding.ts';
import { inputOf } from '../../support/onboarding-environment.ts';
import { databaseFiles } from '../../support/database-files.ts';
import { programs, refusalOf, settingsOf, start } from '../../support/start-program.ts';
import { devServer, type TestServer } from '../../support/temporal.ts';

// A database remembers its Namespace: none of its rows changes in another one.

const OWN = 'own';
const TENANTS = ['acme', 'globex', 'initech', 'umbrella', 'hooli'];

let cluster: TestServer;
let otherCluster: TestServer;
const { pathOf, urlOf, withDatabase, remove } = databaseFiles();
let namespaces = 0;

beforeAll(async () => {
  const options = { namespace: OWN, otherNamespaces: [beside(OWN)], searchAttributes: searchAttributeKeys };
  [cluster, otherCluster] = await Promise.all([devServer(options), devServer(options)]);
  await withDatabase('sendoff', async (database) => {
    const register = createSqlRegister(database);
    for (const tenantId of TENANTS) {
      const { firstExecutionRunId } = await cluster.environment.client.workflow.start(ONBOARDING_WORKFLOW_TYPE, {
        workflowId: onboardingWorkflowId(tenantId),
        // Without a Worker, so that it stays as it is.
        taskQueue: 'nothing-runs-here',
        args: [inputOf(tenantId)],
      });
      await beginOnboarding(register, tenantId, firstExecutionRunId);
    }
  });
}, 60_000);
afterAll(async () => {
  await otherCluster.stop();
  await cluster.stop();
  remove();
});

const beside = (namespace: string): string => `${namespace}-background`;

const startProgram = (program: (typeof programs)[number], name: string, namespace: string, at = cluster) =>
  start[program](settingsOf(urlOf(name)), { address: at.address, namespace });
const rowsOf = (name: string) =>
  withDatabase(name, async (database) => [
    await database.selectFrom('onboardings').selectAll().orderBy('tenant_id').execute(),
    await database.selectFrom('onboarding_events').selectAll().orderBy('id').execute(),
  ]);

async function newNamespace(at: TestServer = cluster): Promise<string> {
  namespaces += 1;
  const namespace = `other-${String(namespaces)}`;
  const { connection } = at.environment;
  await Promise.all([
    setUpTemporal({ connection, address: at.address, namespace, searchAttributes: searchAttributeKeys }),
    setUpTemporal({ connection, address: at.address, namespace: beside(namespace), searchAttributes: [] }),
  ]);
  return namespace;
}
const holderIn = (namespace: string) =>
  new Client({ connection: cluster.environment.connection, namespace }).workflow
    .getHandle(INSTALLATION_WORKFLOW_ID)
    .describe();

test.each(programs)(
  'a %s refuses another, an empty, a deleted and a recreated Namespace, and changes no row',
  async (program) => {
    const own = await startProgram(program, 'sendoff', OWN);
    await own.stop();
    const known = await withDatabase('sendoff', knownNamespace);
    expect(known).toMatchObject({ namespace: OWN, namespaceId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    const before = await rowsOf('sendoff');

    const empty = await newNamespace();
    const refusal = await refusalOf(startProgram(program, 'sendoff', empty));
    expect(refusal).toBeInstanceOf(OtherNamespaceError);
    const message = String(refusal);
    expect(message).toContain(`belongs to the Temporal Namespace ${OWN} (id ${known?.namespaceId ?? ''})`);
    expect(message).toContain(`not to ${empty} (id `);
    expect(message).toContain('Set TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE');
    expect(message).toContain('sendoff store use-namespace --only orchestrator');
    await expect(holderIn(empty)).rejects.toThrow(/not found/i);

    // The same name on another cluster: as after it was deleted and created again.
    const sameName = await refusalOf(startProgram(program, 'sendoff', OWN, otherCluster));
    expect(sameName).toBeInstanceOf(OtherNamespaceError);
    expect(String(sameName)).toContain(`not to another one of that name (id `);

    const deleted = await newNamespace();
    await cluster.environment.connection.operatorService.deleteNamespace({ namespace: deleted });
    await expect
      .poll(() => refusalOf(startProgram(program, 'sendoff', deleted)), { timeout: 30_000 })
      .toBeInstanceOf(NotSetUpError);

    // Wrong in both ways: the Namespace of another database.
    const second = await startProgram(program, `second-${program}`, empty);
    await second.stop();
    expect(await refusalOf(startProgram(program, 'sendoff', empty))).toBeInstanceOf(OtherNamespaceError);
    expect(await refusalOf(startProgram(program, `third-${program}`, empty))).toBeInstanceOf(OtherInstallationError);
    expect(await rowsOf('sendoff')).toEqual(before);
    expect(await withDatabase('sendoff', knownNamespace)).toEqual(known);

    const again = await startProgram(program, 'sendoff', OWN);
    await again.stop();
  },
  90_000,
);

test('of starts at once with a new database in two Namespaces, those in one of them join', async () => {
  const places = [await newNamespace(), await newNamespace()];
  // Created before: SQLite migrates in the first start only.
  await withDatabase('new', async () => undefined);
  const started = await Promise.all(
    Array.from({ length: 6 }, (_, index) => {
      const namespace = places[index % 2] ?? '';
      return refusalOf(startProgram('server', 'new', namespace)).then((refusal) => ({ namespace, refusal }));
    }),
  );
  const joined = new Set(started.flatMap(({ namespace, refusal }) => (refusal === 'it started' ? [namespace] : [])));
  expect([...joined]).toEqual([(await withDatabase('new', knownNamespace))?.namespace]);
  for (const { namespace, refusal } of started) {
    if (!joined.has(namespace)) expect(refusal).toBeInstanceOf(OtherNamespaceError);
  }
  // The other one is free for another database.
  const [free = ''] = places.filter((namespace) => !joined.has(namespace));
  const next = await startProgram('server', 'next', free);
  await next.stop();
}, 60_000);

test('a database moves to another Namespace on purpose only, and leaves its running onboardings behind on request', async () => {
  const namespace = await newNamespace();
  copyFileSync(pathOf('sendoff'), pathOf('moved'));
  let text = '';
  const context = {
    environment: { ...settingsOf(urlOf('moved')), TEMPORAL_ADDRESS: cluster.address, TEMPORAL_NAMESPACE: namespace },
    write: (part: string) => void (text += part),
    progress: process.stderr,
  };
  const before = await rowsOf('moved');
  await expect(useNamespace({ only: 'orchestrator' }, context)).rejects.toThrow(
    `${String(TENANTS.length)} onboardings run`,
  );
  expect(await rowsOf('moved')).toEqual(before);
  expect(await refusalOf(startProgram('server', 'moved', namespace))).toBeInstanceOf(OtherNamespaceError);

  expect(await useNamespace({ only: 'orchestrator', endRunning: true }, context)).toBe(0);
  expect(text).toContain(namespace);
  expect(text).toContain(`${String(TENANTS.length)} onboardings`);
  await withDatabase('moved', async (database) => {
    const outcomes = await database.selectFrom('onboardings').select('outcome').execute();
    expect(outcomes).toEqual(TENANTS.map(() => ({ outcome: 'terminated' })));
  });
  // It has released the Namespaces before.
  for (const left of [OWN, beside(OWN)]) expect((await holderIn(left)).status.name).toBe('TERMINATED');
  const moved = await startProgram('server', 'moved', namespace);
  await moved.stop();
  // Repeated, it changes nothing.
  const after = await rowsOf('moved');
  expect(await useNamespace({ only: 'orchestrator' }, context)).toBe(0);
  expect(await rowsOf('moved')).toEqual(after);
}, 60_000);

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  configuredDatabase,
  type DatabaseProgram,
  programNames,
  withDatabase,
} from '../../../src/cli/databases/program-databases.ts';
import { moveToVersion } from '../../../src/cli/deployment/move-to-version.ts';
import type { ReleaseContext } from '../../../src/cli/deployment/released-program.ts';
import { replay } from '../../../src/cli/deployment/replay.ts';
import { showStatus } from '../../../src/cli/deployment/show-status.ts';
import { rememberNamespace } from '../../../src/lib/sql/known-namespace.ts';
import { findNamespaceId } from '../../../src/lib/temporal/setup/find-setup-gaps.ts';
import { commandsOf } from '../../support/releases/release-commands.ts';
import { releases, withReleases } from '../../support/releases/release-environment.ts';
import { sharedDevServer, type TestServer } from '../../support/temporal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a version is not promoted while none of its Workers runs the steps of a provider in the settings', async () => {
  await withReleases(async (environment) => {
    await environment.startRelease({ buildId: '1', workflowsPath: releases.present });
    const settings = { RESEND_API_KEY: 're_x' };
    await expect(commandsOf(environment, { buildId: '1', path: releases.present, settings }).promote()).rejects.toThrow(
      /^no Worker of \S+ 1 polls onboarding-provider-resend in \S+; nothing was changed/,
    );
  });
}, 60_000);

/** A server and an empty file for each program's database, and a command with their settings. */
async function withNewDatabases(
  use: (tools: {
    server: TestServer;
    environmentOf: (namespace: string) => Record<string, string>;
    replayed: (program: DatabaseProgram, namespace: string) => Promise<unknown>;
  }) => Promise<void>,
): Promise<void> {
  const folder = temporaryFolder();
  const urlOf = (name: string): string => {
    const path = join(folder, `${name}.db`);
    writeFileSync(path, '');
    return `file:${path}`;
  };
  const databases = { SENDOFF_DATABASE_URL: urlOf('sendoff'), EMAIL_SERVICE_DATABASE_URL: urlOf('email-service') };
  const server = await sharedDevServer();
  const environmentOf = (namespace: string): Record<string, string> => ({
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_NAMESPACE: namespace,
    EMAIL_SERVICE_TEMPORAL_NAMESPACE: namespace,
    ...databases,
  });
  try {
    await use({
      ...{ server, environmentOf },
      async replayed(program, namespace) {
        const written: string[] = [];
        const exitCode = await replay(
          { program, json: true },
          {
            environment: environmentOf(namespace),
            write: (text) => void written.push(text),
            writeMessage: () => undefined,
          },
        );
        return { exitCode, ...(JSON.parse(written.join('')) as object) };
      },
    });
  } finally {
    await server.stop();
  }
}

test('before the first start nothing is open: a rollout has the same gate then', async () => {
  await withNewDatabases(async ({ environmentOf, replayed }) => {
    const missing = {
      exitCode: 0,
      namespaces: [
        { namespace: 'to-be-created', exists: false, replayed: 0, faults: [] },
        { namespace: 'to-be-created-background', exists: false, replayed: 0, faults: [] },
      ],
    };
    expect(await replayed('orchestrator', 'to-be-created')).toEqual(missing);
    expect(await replayed('email-service', 'to-be-created')).toEqual({ exitCode: 0, namespaces: [] });
    for (const program of programNames) await configuredDatabase(program, environmentOf('to-be-created')).migrate();
    expect(await replayed('orchestrator', 'to-be-created')).toEqual(missing);
    expect(await replayed('email-service', 'to-be-created')).toEqual({
      exitCode: 0,
      namespaces: missing.namespaces.slice(0, 1),
    });
    const written: string[] = [];
    const write = (text: string): void => void written.push(text);
    await replay(
      { program: 'email-service' },
      { environment: environmentOf('to-be-created'), write, writeMessage: () => undefined },
    );
    expect(written).toEqual(['to-be-created does not exist, so nothing is open in it\n']);
  });
}, 60_000);

test.each(programNames)(
  '%s: its database knows the Namespace, so no command takes another one for it',
  async (program) => {
    await withNewDatabases(async ({ server, environmentOf, replayed }) => {
      const own = server.namespace;
      const database = configuredDatabase(program, environmentOf(own));
      await database.migrate();
      const namespaceId = await findNamespaceId(server.environment.client.connection, own);
      await withDatabase(database, async ({ database: opened }) => {
        await rememberNamespace(opened, { namespace: own, namespaceId: namespaceId ?? '' }, undefined);
      });
      expect(await replayed(program, own)).toMatchObject({
        exitCode: 0,
        namespaces: expect.arrayContaining([expect.objectContaining({ namespace: own, exists: true })]) as unknown,
      });

      const context = (namespace: string): ReleaseContext => ({
        environment: {
          ...environmentOf(namespace),
          TEMPORAL_DEPLOYMENT_NAME: 'sendoff-worker',
          TEMPORAL_WORKER_BUILD_ID: '1',
        },
        write: () => undefined,
        writeMessage: () => undefined,
      });
      for (const run of [
        (namespace: string) => replayed(program, namespace),
        (namespace: string) => moveToVersion('promote', { program }, context(namespace)),
        (namespace: string) => moveToVersion('rollback', { program }, context(namespace)),
        (namespace: string) => showStatus({ program }, context(namespace)),
      ]) {
        await expect(run('mistyped')).rejects.toThrow(
          `The Namespace mistyped does not exist\nThe Workflows of the database run in ${own} (id ${namespaceId})`,
        );
        // Another program's.
        await expect(run('temporal-system')).rejects.toThrow(
          `belongs to the Temporal Namespace ${own} (id ${namespaceId}), not to temporal-system`,
        );
      }
      const written: string[] = [];
      const { TEMPORAL_WORKER_BUILD_ID, ...environment } = context(own).environment;
      const settings = { ...environment, SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE: own };
      // The status is that of every build.
      await showStatus(
        { program },
        { ...context(own), environment: settings, write: (text) => void written.push(text) },
      );
      expect(written.join('')).toBe(`${own}: no Worker of sendoff-worker has polled\n`);
    });
  },
  60_000,
);

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CommandError } from '../../../src/cli/command-error.ts';
import type { DatabaseProgram } from '../../../src/cli/databases/program-databases.ts';
import { replay } from '../../../src/cli/deployment/replay.ts';
import type { Replayed } from '../../../src/lib/temporal/replay-open-runs.ts';
import { commandsOf } from '../../support/releases/release-commands.ts';
import { releases, withReleases } from '../../support/releases/release-environment.ts';
import { sharedDevServer } from '../../support/temporal.ts';

test('a change without a patch is refused before the first onboarding moves, with the names of all for programs and of ten for people', async () => {
  await withReleases(async (environment) => {
    const { startRelease, startWaiting } = environment;
    const reported: string[] = [];
    const report = (text: string): void => void reported.push(text);
    const bad = commandsOf(environment, { buildId: 'bad', path: releases.bad, report });
    await startRelease({ buildId: '1', workflowsPath: releases.present });
    await commandsOf(environment, { buildId: '1', path: releases.present }).promote();
    const tenants = Array.from({ length: 12 }, (_, index) => `tenant-${index}`);
    await startWaiting(...tenants);
    await startRelease({ buildId: 'bad', workflowsPath: releases.bad });
    const refused = await bad.promote().catch((error: unknown) => error as CommandError);
    expect(refused).toMatchObject({
      message: expect.stringMatching(/^12 open executions would stop on bad; nothing was changed\./) as string,
      code: 'would_stop',
    });
    const [{ faults }] = (refused as CommandError).fields['replays'] as [Replayed];
    expect(faults.map(({ workflowId }) => workflowId).sort()).toEqual(
      tenants.map((tenantId) => `onboarding/${tenantId}`).sort(),
    );
    expect(reported.join('').match(/onboarding\/tenant-\d+: .*TMPRL1100/g)).toHaveLength(10);
    expect(reported.join('')).toContain('and 2 more; --json lists all');
    expect(await bad.status()).toContainEqual(expect.objectContaining({ buildId: '1', status: 'current', open: 12 }));
  });
}, 60_000);

test('a history of many megabytes, such as of Signals by others, does not stop a promotion', async () => {
  await withReleases(async (environment) => {
    const { startRelease, startWaiting, handleOf } = environment;
    await startRelease({ buildId: '1', workflowsPath: releases.present });
    const { promote } = commandsOf(environment, { buildId: '1', path: releases.present });
    await promote();
    await startWaiting('large');
    for (let time = 0; time < 4; time += 1)
      await handleOf('large').signal('providerReported', { eventId: 'x'.repeat(1_900_000) });
    expect(await promote()).toMatchObject({
      exitCode: 0,
      written: expect.stringContaining('1 open execution') as string,
    });
  });
}, 60_000);

test('a version is not promoted while none of its Workers runs the steps of a provider in the settings', async () => {
  await withReleases(async (environment) => {
    await environment.startRelease({ buildId: '1', workflowsPath: releases.present });
    const settings = { RESEND_API_KEY: 're_x' };
    await expect(commandsOf(environment, { buildId: '1', path: releases.present, settings }).promote()).rejects.toThrow(
      /^no Worker of \S+ 1 polls onboarding-provider-resend in \S+; nothing was changed/,
    );
  });
}, 60_000);

test('before the first start nothing is open: a rollout has the same gate then', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sendoff-new-'));
  const database = join(folder, 'email-service.db');
  writeFileSync(database, '');
  const server = await sharedDevServer();
  try {
    const replayed = async (program: DatabaseProgram, settings: Readonly<Record<string, string>>): Promise<unknown> => {
      const written: string[] = [];
      const exitCode = await replay(
        { program, json: true },
        {
          environment: { TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: 'to-be-created', ...settings },
          write: (text) => void written.push(text),
          report: () => undefined,
        },
      );
      return { exitCode, ...(JSON.parse(written.join('')) as object) };
    };
    expect(await replayed('orchestrator', {})).toEqual({
      exitCode: 0,
      namespaces: [
        { namespace: 'to-be-created', replayed: 0, faults: [] },
        { namespace: 'to-be-created-background', replayed: 0, faults: [] },
      ],
    });
    const EMAIL_SERVICE_DATABASE_URL = `file:${database}`;
    expect(await replayed('email-service', { EMAIL_SERVICE_DATABASE_URL })).toEqual({ exitCode: 0, namespaces: [] });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}, 60_000);

import { expect, test } from 'vitest';
import { commandsOf } from '../../support/releases/release-commands.ts';
import { releases, withReleases } from '../../support/releases/release-environment.ts';

test('a change without a patch is refused before the first onboarding moves', async () => {
  await withReleases(async (environment) => {
    const { startRelease, startWaiting } = environment;
    const bad = commandsOf(environment, { buildId: 'bad', path: releases.bad });
    await startRelease({ buildId: '1', workflowsPath: releases.present });
    await commandsOf(environment, { buildId: '1', path: releases.present }).promote();
    await startWaiting('one', 'two');
    await startRelease({ buildId: 'bad', workflowsPath: releases.bad });
    await expect(bad.promote()).rejects.toThrow(/^2 open executions would stop on bad; nothing was changed/);
    expect(await bad.status()).toContainEqual(expect.objectContaining({ buildId: '1', status: 'current', open: 2 }));
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

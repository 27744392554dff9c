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

import { expect, test } from 'vitest';
import { commandsOf } from '../../support/releases/release-commands.ts';
import { DEPLOYMENT, releases, withReleases } from '../../support/releases/release-environment.ts';

const known = { 'pause-first': { shippedIn: '0.2.0', activeFrom: '0.3.0' } };

test('releases go forward and back with waiting onboardings, and name those that a version cannot continue', async () => {
  await withReleases(async (environment) => {
    const { startRelease, startWaiting, wakeUp, publish, handleOf } = environment;
    const first = commandsOf(environment, { buildId: '1', path: releases.present });
    const second = commandsOf(environment, { buildId: '2', path: releases.patched });
    const third = commandsOf(environment, { buildId: '3', path: releases.patched });

    await startRelease({ buildId: '1', workflowsPath: releases.present });
    expect(await first.promote()).toMatchObject({
      exitCode: 0,
      written: `${DEPLOYMENT} 1 is current; 0 open executions, none is stuck\n`,
    });
    await startWaiting('before');

    // The release that ships the patch, inactive: it can be taken back.
    await expect(second.promote()).rejects.toThrow(
      /^no Worker of sendoff-worker 2 polls onboarding in .*nothing was changed/,
    );
    await startRelease({ buildId: '2', workflowsPath: releases.patched, patches: known, release: '0.2.0' });
    expect((await second.promote()).exitCode).toBe(0);
    await startWaiting('inactive');
    await expect(second.rollback()).rejects.toThrow(
      '2 is current already. Run this command with the release and the settings of the version to go back to; sendoff-worker has 1',
    );
    expect((await first.rollback()).exitCode).toBe(0);
    expect(await first.status()).toContainEqual(expect.objectContaining({ buildId: '1', status: 'current' }));

    // The release that activates it can be taken back to that one, but not to the one before.
    await startRelease({ buildId: '3', workflowsPath: releases.patched, patches: known, release: '0.3.0' });
    expect((await third.promote()).exitCode).toBe(0);
    await startWaiting('active');
    expect((await second.rollback()).exitCode).toBe(0);
    await expect(first.rollback()).rejects.toMatchObject({
      message: expect.stringMatching(/^1 open execution would stop on 1; nothing was changed/) as string,
      fields: {
        replays: [
          {
            faults: [{ workflowId: 'onboarding/active', message: expect.stringContaining('TMPRL1100') as string }],
          },
        ],
      },
    });
    expect(await first.replay()).toMatchObject({
      exitCode: 1,
      written: expect.stringContaining('onboarding/active') as string,
    });

    // Forced: the one that was named stops, and continues as soon as the later version is back.
    const forced = first.rollback(true);
    await expect.poll(async () => (await first.status()).find(({ status }) => status === 'current')?.buildId).toBe('1');
    publish();
    await Promise.all(['before', 'inactive', 'active'].map(wakeUp));
    for (const tenantId of ['before', 'inactive']) await handleOf(tenantId).result();
    expect(await forced).toMatchObject({
      exitCode: 1,
      written: expect.stringMatching(
        /is current, and 1 execution cannot continue:\n {2}onboarding\/active since .*TMPRL1100/,
      ) as string,
    });
    // It was stuck before, which is no fault of the version to which the move goes.
    const back = await third.promote({ watchMs: 0 });
    expect(back).toMatchObject({
      exitCode: 0,
      written: expect.stringMatching(/none is stuck since\n1 execution stuck before; Temporal repeats each/) as string,
    });
    expect(back.written).not.toContain('rollback');
    expect((await third.promote({ watchMs: 45_000 })).exitCode).toBe(0);
    expect(await handleOf('active').result()).toMatchObject({ emailId: expect.any(String) as string });
  });
}, 360_000);

import { expect, test } from 'vitest';
import type { CommandError } from '../../../src/cli/command-error.ts';
import type { Replayed } from '../../../src/lib/temporal/replay-open-runs.ts';
import { Stage, waitStages } from '../../../src/onboarding/stage.ts';
import { commandsOf } from '../../support/releases/release-commands.ts';
import { DEPLOYMENT, releases, withReleases } from '../../support/releases/release-environment.ts';
import { answeredWith, type Call } from '../../support/scripted-provider.ts';
import { inputOf, recipientOf } from '../../support/valid-input.ts';

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

/** What keeps an onboarding in a stage that is no wait. */
const failingIn: Partial<Record<Stage, Call>> = {
  issuingKey: 'createApiKey',
  registeringWebhook: 'createWebhook',
  registeringDomain: 'createDomain',
  creatingSender: 'createSender',
  sendingFirstEmail: 'sendEmail',
  undoing: 'deleteDomain',
};
const stages = Object.values(Stage).filter((stage) => stage !== Stage.done);
/** `2-awaiting-domain` */
const tenantIn = (stage: Stage, round: number): string =>
  `${round}-${stage.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
const stageOf = (text: string): Stage =>
  stages.find((stage) => text.includes(tenantIn(stage, 0).slice(1))) ?? Stage.done;
const order = Object.values(Stage);

test('onboardings in every stage go on with other Workflow code, with that of the release before, and each ends with one email', async () => {
  let isOver = false;
  const isPast = (stage: Stage, text: string): boolean =>
    isOver || (stageOf(text) !== Stage.undoing && order.indexOf(stageOf(text)) > order.indexOf(stage));
  await withReleases(
    async (environment) => {
      const { startRelease, onboardings, views, wakeUp, handleOf, scripted } = environment;
      const stageNow = async (tenantId: string): Promise<Stage | undefined> => (await views.get(tenantId))?.stage;
      const commands = ['1', '2', '3'].map((buildId) =>
        commandsOf(environment, { buildId, path: buildId === '1' ? releases.present : releases.patched }),
      );
      const [first, second, third] = commands as [(typeof commands)[0], (typeof commands)[0], (typeof commands)[0]];
      const tenants: string[] = [];
      const stagesNow = async (): Promise<(Stage | undefined)[]> => Promise.all(tenants.map(stageNow));
      const begin = async (round: number): Promise<void> => {
        for (const stage of stages) {
          const tenantId = tenantIn(stage, round);
          await onboardings.start(inputOf(tenantId));
          tenants.push(tenantId);
        }
        const cancelled = tenantIn(Stage.undoing, round);
        await expect.poll(() => stageNow(cancelled)).toBe(Stage.awaitingDomain);
        await onboardings.cancel(cancelled);
        await expect.poll(stagesNow).toEqual(tenants.map(stageOf));
      };
      const goOn = { exitCode: 0, written: expect.stringContaining('none is stuck') as string };

      await startRelease({ buildId: '1', workflowsPath: releases.present });
      await first.promote();
      await begin(1);
      await startRelease({ buildId: '2', workflowsPath: releases.patched, patches: known, release: '0.2.0' });
      expect(await second.promote({ watchMs: 20_000 })).toMatchObject(goOn);
      await begin(2);
      expect(await first.rollback()).toMatchObject(goOn);
      await begin(3);
      expect(await second.promote()).toMatchObject(goOn);
      await startRelease({ buildId: '3', workflowsPath: releases.patched, patches: known, release: '0.3.0' });
      expect(await third.promote({ watchMs: 20_000 })).toMatchObject(goOn);
      await begin(4);
      expect(await stagesNow()).toEqual(tenants.map(stageOf));
      expect(await second.rollback()).toMatchObject(goOn);

      isOver = true;
      const undone = tenants.filter((tenantId) => stageOf(tenantId) === Stage.undoing);
      const waiting = tenants.filter((tenantId) => waitStages.includes(stageOf(tenantId)));
      // One whose next poll came first may have ended.
      await Promise.allSettled(waiting.map(wakeUp));
      const ends = await Promise.allSettled(tenants.map((tenantId) => handleOf(tenantId).result()));
      expect(tenants.filter((_, index) => ends[index]?.status === 'rejected')).toEqual(undone);
      const others = tenants.filter((tenantId) => !undone.includes(tenantId));
      expect(scripted.emails.map(({ recipient }) => recipient).sort()).toEqual(others.map(recipientOf).sort());
      expect(new Set(await stagesNow())).toEqual(new Set([Stage.done]));
    },
    {
      before: (call, tenantId) => {
        if (!isOver && failingIn[stageOf(tenantId)] === call)
          throw answeredWith(call, { httpStatus: 503, retryAfterMs: 5_000 });
      },
      verified: (tenantId) => isPast(Stage.awaitingDomain, tenantId),
      dns: (domain) => (isPast(Stage.awaitingDomain, domain) ? 'published' : 'missing'),
      outcome: (recipient) =>
        isPast(Stage.awaitingDelivery, recipient)
          ? { status: 'delivered', deliveredAt: '2026-01-02T03:04:05Z' }
          : 'queued',
    },
  );
}, 600_000);

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

import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { sweepActivities } from '../../../src/activities/upkeep/sweep-register.ts';
import { stuckCheck } from '../../../src/cli/doctor/checks/stuck-check.ts';
import type { DoctorContext } from '../../../src/cli/doctor/doctor-context.ts';
import { listOnboardings } from '../../../src/cli/onboarding/list-onboardings.ts';
import { showOnboarding } from '../../../src/cli/onboarding/show-onboarding.ts';
import { createEndedOnboardings } from '../../../src/client/onboarding/ended-onboardings.ts';
import { createStuckOnboardings } from '../../../src/client/onboarding/stuck-onboardings.ts';
import type { OnboardingPage } from '../../../src/cli/api-client.ts';
import { runningTenants, stuckTenants } from '../../../src/store/onboarding/running-tenants.ts';
import { databaseRestores } from '../../../src/store/upkeep/restored-database.ts';
import { serveRegister } from '../../support/register-api.ts';
import { type ReleaseEnvironment, releases, withReleases } from '../../support/releases/release-environment.ts';

/** One round of the sweep, which a Worker of the background Namespace repeats every ten seconds. */
async function sweep({ server, register, claims, database }: ReleaseEnvironment): Promise<void> {
  const { client } = server.environment;
  const activities = sweepActivities({
    ...{ register, claims, ...createEndedOnboardings(client), stuckOnboardings: createStuckOnboardings(client) },
    runningTenants: (page) => runningTenants(database, page),
    stuckTenants: (page) => stuckTenants(database, page),
    requireOwnNamespace: async () => undefined,
    restores: databaseRestores(database),
    notifications: undefined,
  });
  await new MockActivityEnvironment().run(() => activities.sweepRegister()).catch(() => undefined);
}

test('a release that cannot continue onboardings shows them in the list, to doctor and to the API, and going back heals them', async () => {
  await withReleases(async (environment) => {
    const { server, database, register, startRelease, startWaiting, wakeUp, publish, handleOf } = environment;
    const { client, connection } = server.environment;
    const api = await serveRegister(environment, client);
    const list = async (options: { stuck: true } | object): Promise<OnboardingPage> => {
      const written: string[] = [];
      const write = (text: string): void => void written.push(text);
      await listOnboardings(
        { ...options, json: true, data: '' },
        { environment: api.environment, write, writeMessage: () => undefined },
      );
      return JSON.parse(written.join('')) as OnboardingPage;
    };
    const stuckIn = async (): Promise<string[]> =>
      (await list({ stuck: true })).data.map(({ tenantId }) => tenantId).sort();
    const diagnosis = () =>
      stuckCheck.run(
        {
          namespace: async () => server.namespace,
          temporal: async () => ({ connection, address: server.address, clientOf: () => client }),
          database: async () => ({ database }),
        } as unknown as DoctorContext,
        new AbortController().signal,
      );
    try {
      const good = await startRelease({ workflowsPath: releases.present });
      await startWaiting('one', 'two', 'three');
      await sweep(environment);
      expect(await stuckIn()).toEqual([]);
      expect(await diagnosis()).toMatchObject({ state: 'ok' });
      await good.stop();

      const bad = await startRelease({ workflowsPath: releases.bad });
      const beganAt = Date.now();
      await wakeUp('one');
      await wakeUp('two');
      await expect
        .poll(
          async () => {
            await sweep(environment);
            return stuckIn();
          },
          { timeout: 60_000, interval: 1_000 },
        )
        .toEqual(['one', 'two']);
      expect(Date.now() - beganAt).toBeLessThan(60_000);
      const { stuck } = (await register.get('one'))!;
      expect(Math.abs(Date.parse(stuck!.since) - beganAt)).toBeLessThan(15_000);
      expect(stuck!.message).toMatch(/TMPRL1100|[Nn]ondeterminism/);
      expect(await diagnosis()).toMatchObject({
        state: 'problem',
        found: expect.stringMatching(
          /^those of 2 onboardings fail, since .*Z: (one, two|two, one)\. The first: /,
        ) as string,
      });
      const { data } = await list({});
      const [shown] = data.filter(({ tenantId }) => tenantId === 'two').map(showOnboarding);
      expect(shown).toContain('! Nothing has proceeded since');
      expect(data.map(showOnboarding).filter((text) => text.includes('Nothing has proceeded'))).toHaveLength(2);
      await bad.stop();

      await startRelease({ workflowsPath: releases.present });
      await expect
        .poll(
          async () => {
            await sweep(environment);
            return stuckIn();
          },
          { timeout: 60_000, interval: 1_000 },
        )
        .toEqual([]);
      publish();
      for (const tenantId of ['one', 'two', 'three']) await wakeUp(tenantId);
      for (const tenantId of ['one', 'two', 'three']) await handleOf(tenantId).result();
      expect(await diagnosis()).toMatchObject({ state: 'ok' });
    } finally {
      await api.end();
    }
  });
}, 180_000);

import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { apiKeyRef } from '../../../src/onboarding/onboarding-ids.ts';
import { Stage } from '../../../src/onboarding/stage.ts';
import {
  expectCancelled,
  type OnboardingEnvironment,
  realServer,
  withOnboardings,
} from '../../support/onboarding-environment.ts';

/** What ops read under Pending Activities: of one type, or of all. */
async function pendingFailure(handle: WorkflowHandle, activity?: string): Promise<string> {
  const { raw } = await handle.describe();
  const pending = raw.pendingActivities?.filter(({ activityType }) =>
    [undefined, activityType?.name].includes(activity),
  );
  return pending?.map(({ lastFailure }) => lastFailure?.message ?? '').join() ?? '';
}

/** An onboarding that waits for its domain. */
const whileItWaits = (
  use: (environment: OnboardingEnvironment & { readonly handle: WorkflowHandle }) => Promise<void>,
): Promise<void> =>
  withOnboardings(
    { verified: () => false },
    async (environment) => {
      const handle = await environment.start();
      const stage = async () => (await environment.viewOf()).stage;
      await expect.poll(stage, { timeout: 20_000 }).toBe(Stage.awaitingDomain);
      await use({ ...environment, handle });
    },
    { startServer: realServer },
  );

const wakeUp = (eventId: string) => ({ eventId, type: 'domain.verified' });

test('a Worker whose store lacks the API key of the tenant reports it, is retried, and ends nothing', async () => {
  await whileItWaits(async ({ handle, scripted, secretStore, onboardings }) => {
    const token = secretStore.values.get(apiKeyRef('acme')) ?? '';
    await secretStore.delete(apiKeyRef('acme'));
    scripted.script.verified = () => true;
    await onboardings.wakeUp('acme', wakeUp('evt_1'));
    await expect
      .poll(() => pendingFailure(handle), { timeout: 20_000 })
      .toContain('The database of this Worker (SENDOFF_DATABASE_URL) holds no API key at onboarding/acme/api-key');
    expect((await handle.describe()).status.name).toBe('RUNNING');
    expect(scripted.existingOf('acme')).toEqual(['key_1', 'whk_2', 'dom_3']);
    await secretStore.put(apiKeyRef('acme'), token);
    await onboardings.wakeUp('acme', wakeUp('evt_2'));
    expect(await handle.result()).toMatchObject({ keyId: 'key_1', domainId: 'dom_3' });
  });
});

test('a Worker whose database lacks the onboarding reports it, and undoes nothing', async () => {
  await whileItWaits(async ({ handle, database, scripted }) => {
    const row = await database.selectFrom('onboardings').selectAll().executeTakeFirstOrThrow();
    await database.deleteFrom('onboardings').execute();
    await handle.cancel();
    await expect
      .poll(() => pendingFailure(handle), { timeout: 20_000 })
      .toContain('has no record of this onboarding of acme');
    expect(scripted.existingOf('acme')).toEqual(['key_1', 'whk_2', 'dom_3']);
    await database.insertInto('onboardings').values(row).execute();
    await expectCancelled(handle);
    expect(scripted.existingOf('acme')).toEqual([]);
  });
});

test('an onboarding that began after the backup from which its database was restored waits, and is not taken for a replaced one', async () => {
  await whileItWaits(async ({ handle, database, scripted, onboardings }) => {
    const row = await database.selectFrom('onboardings').selectAll().executeTakeFirstOrThrow();
    const before = new Date(Date.parse(row.started_at) - 3_600_000).toISOString();
    await database
      .updateTable('onboardings')
      .set({ attempt_id: 'earlier', run_id: 'earlier', started_at: before })
      .execute();
    scripted.script.verified = () => true;
    await onboardings.wakeUp('acme', wakeUp('evt_1'));
    const waits = (activity: string) =>
      expect
        .poll(() => pendingFailure(handle, activity), { timeout: 20_000 })
        .toContain('has no record of this onboarding of acme');
    await waits('checkDomain');
    await handle.cancel();
    await waits('recordUndo');
    expect((await handle.describe()).status.name).toBe('RUNNING');
    expect(scripted.existingOf('acme')).toEqual(['key_1', 'whk_2', 'dom_3']);
    expect(await database.selectFrom('onboardings').select(['attempt_id', 'stage']).execute()).toEqual([
      { attempt_id: 'earlier', stage: row.stage },
    ]);
    await database.deleteFrom('onboardings').execute();
    await database.insertInto('onboardings').values(row).execute();
    await expectCancelled(handle);
    expect(scripted.existingOf('acme')).toEqual([]);
  });
});

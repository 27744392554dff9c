import { expect, test } from 'vitest';
import type { Difference } from '../../../src/client/upkeep/difference.ts';
import { findDifferences } from '../../../src/client/upkeep/differences.ts';
import { memorySecretStore } from '../../support/scripted-provider.ts';
import { releases, withReleases } from '../../support/releases/release-environment.ts';

test('the end of an onboarding is compared only once a Worker says what its undo has revoked', async () => {
  await withReleases(async ({ startRelease, startWaiting, onboardings, handleOf, server, database, register }) => {
    const differences = async (): Promise<Pick<Difference, 'kind' | 'tenantId'>[]> => {
      const found: Pick<Difference, 'kind' | 'tenantId'>[] = [];
      const parts = { database, register, secrets: memorySecretStore(), revokeKey: () => Promise.resolve() };
      const restoredAt = new Date().toISOString();
      for await (const { kind, tenantId, repair } of findDifferences(server.environment.client, {
        ...parts,
        restoredAt,
      })) {
        found.push({ kind, tenantId });
        await repair?.();
      }
      return found;
    };
    const workers = await startRelease({ workflowsPath: releases.present });
    await startWaiting('acme');
    const before = await database.selectFrom('onboardings').selectAll().executeTakeFirstOrThrow();
    await onboardings.cancel('acme');
    await expect(handleOf('acme').result()).rejects.toThrow();
    await workers.stop();
    await database.updateTable('onboardings').set(before).execute();

    expect(await differences()).toEqual([{ kind: 'not_compared', tenantId: 'acme' }]);
    expect((await register.get('acme'))?.outcome).toBe('running');

    await startRelease({ workflowsPath: releases.present });
    expect(await differences()).toEqual([{ kind: 'old_record', tenantId: 'acme' }]);
    const { outcome, onboarding } = (await register.get('acme')) ?? {};
    expect(outcome).toBe('cancelled');
    expect(onboarding?.undo.filter(({ result }) => result === 'undone')).not.toEqual([]);
  });
}, 60_000);

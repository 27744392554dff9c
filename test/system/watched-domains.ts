import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../src/lib/timing/wait-until.ts';
import type { SavedSettings } from '../../src/dev/data-folder.ts';
import { createHttpEmailProvider } from '../../src/email-provider/adapters/sendoff/sendoff-provider.ts';
import { openStore, type Store } from '../../src/email-service/store/open-store.ts';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { createSqlRegister } from '../../src/store/onboarding/sql-register.ts';
import { createSqlWatchedDomains } from '../../src/store/upkeep/sql-watched-domains.ts';
import { tenantOptions } from './dev-deployment.ts';
import { addressOf, temporal, sendoff, startSendoff } from './running-sendoff.ts';

const DUE = '2026-01-01T00:00:00.000Z';

/** Tests of a running local deployment. */
export function watchedDomains(data: string): void {
  let database: Database;
  let store: Store;
  beforeAll(async () => {
    database = await openDatabase(`file:${join(data, 'sendoff.db')}`);
    store = await openStore(`file:${join(data, 'email-service.db')}`);
  });
  afterAll(async () => {
    await database.destroy();
    await store.destroy();
  });

  const publish = (...mistake: string[]) => sendoff('publish', 'initrode', ...mistake, '--data', data);

  /** Lets a day pass for the domain, starts the Schedule's sweep, and waits until it has recorded its check. */
  async function sweep(): Promise<void> {
    await database
      .updateTable('watched_domains')
      .set({ next_check_at: DUE })
      .where('tenant_id', '=', 'initrode')
      .execute();
    const isDue = async () => {
      const { next_check_at } = await database
        .selectFrom('watched_domains')
        .selectAll()
        .where('tenant_id', '=', 'initrode')
        .executeTakeFirstOrThrow();
      return next_check_at === DUE;
    };
    // Temporal skips a trigger while the sweep before it has not ended.
    const isSwept = async (): Promise<boolean> => {
      const address = addressOf(data);
      const background = { ...address, temporalNamespace: address.backgroundNamespace };
      await temporal(background, 'schedule', 'trigger', '--schedule-id', 'sendoff/watch-domains');
      return waitUntil(async () => !(await isDue()), { timeoutMs: 10_000 });
    };
    expect(await waitUntil(isSwept, { timeoutMs: 60_000 })).toBe(true);
  }

  /** Lets a day pass for the email service, whose sweep then checks the domain. */
  async function checkAtService(): Promise<void> {
    const ofDomain = async () =>
      (
        await store
          .selectFrom('domains')
          .select('last_checked_at')
          .where('name', '=', 'initrode.test')
          .executeTakeFirstOrThrow()
      ).last_checked_at;
    const before = await ofDomain();
    await store.updateTable('domains').set({ next_check_at: DUE }).where('name', '=', 'initrode.test').execute();
    expect(await waitUntil(async () => (await ofDomain()) !== before, { timeoutMs: 60_000 })).toBe(true);
  }

  test('the DNS of a verified domain breaks, is reported, is fixed, and the domain is deleted at the provider', async () => {
    const register = createSqlRegister(database);
    const watchedDomains = createSqlWatchedDomains(database, register);
    const stateOf = async () => (await watchedDomains.get('initrode'))?.state;
    const events = async () => {
      const all = await register.events({ after: 0, tenantId: 'initrode', limit: 200 });
      return all.filter(({ type }) => type.startsWith('domain.'));
    };
    const onboarding = await startSendoff('onboard', ...tenantOptions(data, 'initrode'));
    await onboarding.printed(/_domainkey/);
    await publish();
    expect(await onboarding.ended, onboarding.stderr()).toBe(0);

    await sweep();
    expect(await watchedDomains.get('initrode')).toMatchObject({ state: 'ok', suspicion: null, problem: null });
    await publish('--mistake', 'host_doubled');
    await checkAtService();
    await sweep();
    expect(await watchedDomains.get('initrode')).toMatchObject({ state: 'ok', suspicion: { of: 'drifted', times: 1 } });
    expect(await events()).toEqual([]);
    await sweep();
    expect(await events()).toMatchObject([
      {
        type: 'domain.drifted',
        data: {
          domain: 'initrode.test',
          findings: expect.arrayContaining([
            expect.objectContaining({ code: 'host_doubled', fix: expect.stringContaining('initrode.test') as string }),
          ]) as object[],
        },
      },
    ]);
    await publish();
    await checkAtService();
    await sweep();
    expect(await events()).toMatchObject([{ type: 'domain.drifted' }, { type: 'domain.recovered' }]);

    const { operatorToken } = JSON.parse(readFileSync(join(data, 'kept.json'), 'utf8')) as SavedSettings;
    const provider = createHttpEmailProvider({ baseUrl: addressOf(data).emailServiceUrl, operatorToken });
    const { token = '' } = await provider.createApiKey(
      { account: 'initrode', name: 'test' },
      { idempotencyKey: 'test' },
    );
    const { domainId = '' } = (await watchedDomains.get('initrode')) ?? {};
    await provider.withKey(token).deleteDomain(domainId);
    await provider.close();
    for (const state of ['ok', 'ok', 'gone']) {
      await sweep();
      expect(await stateOf()).toBe(state);
    }
    expect(await events()).toHaveLength(2);
  }, 120_000);
}

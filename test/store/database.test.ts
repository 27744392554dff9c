import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqlDatabase } from '../../src/lib/sql/sql-database.ts';
import { migrations, openDatabase } from '../../src/store/database.ts';
import { createSqlRegister } from '../../src/store/sql-register.ts';

test('onboardings of an earlier release can be listed, and cause no events', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sendoff-database-'));
  const url = `file:${join(folder, 'sendoff.db')}`;
  try {
    const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0005'));
    const old = await openSqlDatabase<{ onboardings: Record<string, string | null> }>(url, earlier);
    const onboarding = (stage: string) =>
      JSON.stringify({ domain: 'acme.com', stage, stages: [{ stage, at: '2026-01-02T00:00:00.000Z' }], records: [] });
    const row = {
      attempt_id: 'a',
      started_at: '2026-01-01T00:00:00.000Z',
      started_with: null,
      run_id: 'r',
      result: null,
    };
    const failure = JSON.stringify({ type: 'EmailBounced', message: 'm', details: { exit: 'F3' } });
    await old
      .insertInto('onboardings')
      .values([
        { ...row, tenant_id: 'waiting', outcome: 'running', onboarding: onboarding('awaitingDomain'), failure: null },
        { ...row, tenant_id: 'bounced', outcome: 'failed', onboarding: onboarding('done'), failure },
      ])
      .execute();
    await old.destroy();

    const database = await openDatabase(url);
    const register = createSqlRegister(database);
    const page = { limit: 10 };
    expect(await register.list({ exit: 'F3' }, page)).toMatchObject([
      { tenantId: 'bounced', endedAt: '2026-01-02T00:00:00.000Z', attention: null },
    ]);
    expect(await register.list({ stage: 'awaitingDomain', text: 'acme' }, page)).toMatchObject([
      { tenantId: 'waiting', stageSince: '2026-01-02T00:00:00.000Z', endedAt: null, waiting: null },
    ]);
    expect(await register.events({ after: 0, limit: 10 })).toEqual([]);
    await database.destroy();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

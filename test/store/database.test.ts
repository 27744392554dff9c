import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqlDatabase } from '../../src/lib/sql/sql-database.ts';
import { migrations, openDatabase } from '../../src/store/database.ts';
import { createSqlRegister } from '../../src/store/sql-register.ts';
import { createSqlWatchedDomains } from '../../src/store/sql-watched-domains.ts';

let folder: string;
let url: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sendoff-database-'));
  url = `file:${join(folder, 'sendoff.db')}`;
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Creates the database as the release before this migration left it. */
const openEarlier = (before: string) =>
  openSqlDatabase<{ onboardings: Record<string, string | null> }>(
    url,
    Object.fromEntries(Object.entries(migrations).filter(([name]) => name < before)),
  );

const attempt = {
  attempt_id: 'a',
  started_at: '2026-01-01T00:00:00.000Z',
  started_with: null,
  run_id: 'r',
  result: null,
};

test('onboardings of an earlier release can be listed, and cause no events', async () => {
  const old = await openEarlier('0005');
  const onboarding = (stage: string) =>
    JSON.stringify({ domain: 'acme.com', stage, stages: [{ stage, at: '2026-01-02T00:00:00.000Z' }], records: [] });
  const failure = JSON.stringify({ type: 'EmailBounced', message: 'm', details: { exit: 'F3' } });
  await old
    .insertInto('onboardings')
    .values([
      { ...attempt, tenant_id: 'waiting', outcome: 'running', onboarding: onboarding('awaitingDomain'), failure: null },
      { ...attempt, tenant_id: 'bounced', outcome: 'failed', onboarding: onboarding('done'), failure },
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
});

test('findings of an earlier release have the start of their onboarding', async () => {
  const old = await openEarlier('0012');
  const columns = { domain: 'acme.com', stage: 'awaitingDomain', stage_since: '', state: '{}', updated_at: '' };
  await old
    .insertInto('onboardings')
    .values({ ...attempt, ...columns, tenant_id: 'waiting', outcome: 'running', onboarding: '{}', failure: null })
    .execute();
  await sql`insert into onboarding_findings (tenant_id, code) values ('waiting', 'mx_missing')`.execute(old);
  await old.destroy();

  const database = await openDatabase(url);
  expect(await database.selectFrom('onboarding_findings').selectAll().execute()).toEqual([
    { tenant_id: 'waiting', code: 'mx_missing', started_at: attempt.started_at },
  ]);
  await database.destroy();
});

test('domains that an earlier release verified are watched, and due at once', async () => {
  const old = await openEarlier('0008');
  const end = '2026-01-02T00:00:00.000Z';
  const row = (tenant_id: string, outcome: string, domainId: string | null) => ({
    ...{ ...attempt, tenant_id, outcome, failure: null, ended_at: end },
    ...{ domain: 'acme.com', stage: 'done', stage_since: end, state: '{}', updated_at: end },
    onboarding: JSON.stringify({ domain: 'acme.com', domainId, records: [] }),
  });
  await old
    .insertInto('onboardings')
    .values([
      row('onboarded', 'onboarded', 'dom_1'),
      { ...row('undated', 'onboarded', 'dom_2'), ended_at: null },
      row('without-domain', 'onboarded', null),
      row('failed', 'failed', 'dom_3'),
      row('running', 'running', 'dom_4'),
    ])
    .execute();
  await old.destroy();
  const before = new Date().toISOString();

  const database = await openDatabase(url);
  const watchedDomains = createSqlWatchedDomains(database, createSqlRegister(database));
  const dueBy = new Date().toISOString();
  const due = await watchedDomains.due({ dueBy, after: null, limit: 10 });
  expect(due.map(({ tenantId }) => tenantId)).toEqual(['onboarded', 'undated']);
  const watched = {
    attemptId: 'a',
    state: 'ok',
    suspicion: null,
    findings: [],
    muted: [],
    checkedAt: null,
    problem: null,
  };
  expect(await watchedDomains.get('onboarded')).toMatchObject({ ...watched, domainId: 'dom_1', stateSince: end });
  expect(await watchedDomains.get('undated')).toMatchObject({ domainId: 'dom_2', stateSince: attempt.started_at });
  for (const { nextCheckAt } of due) expect(nextCheckAt >= before && nextCheckAt <= dueBy).toBe(true);
  await database.destroy();
});

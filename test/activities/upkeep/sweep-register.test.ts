import '../../support/quiet-temporal.ts';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sweepActivities, type SweepDependencies } from '../../../src/activities/upkeep/sweep-register.ts';
import type { StoredRecord } from '../../../src/store/onboarding/register.ts';
import { databaseRestores, forgetRestored, restoredAt } from '../../../src/store/upkeep/restored-database.ts';
import { runningTenants, stuckTenants } from '../../../src/store/onboarding/running-tenants.ts';
import { type NotifiedRegister, openNotifiedRegister } from '../../support/notified-register.ts';

let opened: NotifiedRegister;
beforeEach(async () => {
  opened = await openNotifiedRegister();
});
afterEach(() => opened.end());

function activitiesOf(parts: Partial<SweepDependencies>) {
  const { register, claims, database } = opened;
  return sweepActivities({
    register,
    claims,
    runningTenants: (page) => runningTenants(database, page),
    stuckTenants: (page) => stuckTenants(database, page),
    stuckOnboardings: { reported: async () => [], taskOf: async () => undefined },
    listedAsRunning: async () => new Set(),
    recentlyTerminated: async () => [],
    executionOf: async () => 'running',
    requireOwnNamespace: async () => undefined,
    restores: { ...databaseRestores(database), latestEvent: async () => undefined },
    notifications: undefined,
    ...parts,
  });
}

function begin(parts: Partial<SweepDependencies>, heartbeatDetails?: unknown) {
  const logged: string[] = [];
  const logger = new DefaultLogger('WARN', ({ message, meta }) => logged.push(`${message} ${JSON.stringify(meta)}`));
  const info = heartbeatDetails === undefined ? {} : { heartbeatDetails };
  const environment = new MockActivityEnvironment(info, { logger });
  let position: unknown;
  environment.on('heartbeat', (details) => {
    position = details;
  });
  const failed = environment.run(() => activitiesOf(parts).sweepRegister()).catch((error: unknown) => error);
  return { failed, position: () => position, logged };
}

/** @returns why the sweep is retried, the position that the next one gets, and what was logged */
async function sweep(...[parts, heartbeatDetails]: Parameters<typeof begin>) {
  const { failed, position, logged } = begin(parts, heartbeatDetails);
  return { failure: await failed, position: position(), logged };
}

const terminated = async (record: StoredRecord) => ({
  ...record,
  at: '2026-01-01T00:00:00.000Z',
  outcome: 'terminated' as const,
});

test('each sweep goes on where the last one ended, and begins again after the last tenant', async () => {
  const tenants = Array.from({ length: 101 }, (_, index) => `tenant-${String(index).padStart(3, '0')}`);
  for (const tenantId of tenants) await opened.add(tenantId, 'reason');
  const resumed: string[] = [];
  const notifications = {
    tenants: opened.queue.tenants,
    resume: async (tenantId: string) => {
      resumed.push(tenantId);
    },
  };
  const first = await sweep({ notifications });
  expect(first.failure).toMatchObject({ type: 'RegisterSwept', nextRetryDelay: 10_000, nonRetryable: false });
  expect(first.position).toEqual({ notified: 'tenant-099', running: 'tenant-099', stuck: '' });
  const second = await sweep({ notifications }, first.position);
  expect(second.position).toEqual({ notified: '', running: '', stuck: '' });
  expect(resumed).toEqual(tenants);
});

test('a tenant whose calls fail delays no other one, and is tried again after the last one', async () => {
  for (const tenantId of ['acme', 'globex', 'initech']) await opened.add(tenantId, 'reason');
  const failing = (tenantId: string): void => {
    if (tenantId === 'globex') throw new Error('refused Bearer so_live_secret');
  };
  const resumed: string[] = [];
  const notifications = {
    tenants: opened.queue.tenants,
    resume: async (tenantId: string) => {
      failing(tenantId);
      resumed.push(tenantId);
    },
  };
  const executionOf = async (record: StoredRecord) => {
    failing(record.tenantId);
    return terminated(record);
  };
  const recentlyTerminated = async (): Promise<string[]> => {
    throw new Error('visibility is down');
  };
  const { failure, position, logged } = await sweep({ notifications, executionOf, recentlyTerminated });
  expect(failure).toMatchObject({ type: 'RegisterSwept' });
  expect(position).toEqual({ notified: '', running: '', stuck: '' });
  expect(resumed).toEqual(['acme', 'initech']);
  expect((await opened.register.get('initech'))?.outcome).toBe('terminated');
  expect((await opened.register.get('globex'))?.outcome).toBe('running');
  expect(logged.filter((line) => line.includes('"tenantId":"globex"'))).toHaveLength(2);
  expect(logged.join()).toContain('visibility is down');
  expect(logged.join()).not.toContain('so_live_secret');
});

test('a sweep that is cut off is continued after the last tenant that it finished, in each part', async () => {
  for (const tenantId of ['acme', 'globex', 'initech']) await opened.add(tenantId, 'reason');
  const hangs = new Promise<never>(() => undefined);
  const reaches = (expected: object, parts: Partial<SweepDependencies>): Promise<void> =>
    expect.poll(begin(parts).position).toEqual(expected);
  const unlessGlobex = (tenantId: string) => (tenantId === 'globex' ? hangs : Promise.resolve(undefined));
  const runsUnlessGlobex = ({ tenantId }: StoredRecord) =>
    tenantId === 'globex' ? hangs : Promise.resolve('running' as const);
  const notifications = { tenants: opened.queue.tenants, resume: unlessGlobex };
  const stuckTenants = async () => ['acme', 'globex', 'initech'];
  const stuckOnboardings = { reported: async () => [], taskOf: unlessGlobex };
  await reaches({ notified: 'acme', running: '', stuck: '' }, { notifications });
  await reaches({ notified: '', running: 'acme', stuck: '' }, { executionOf: runsUnlessGlobex });
  await reaches({ notified: '', running: '', stuck: 'acme' }, { stuckTenants, stuckOnboardings });
});

test('a part that lasts too long leaves time to the next one', async () => {
  for (const tenantId of ['acme', 'globex']) await opened.add(tenantId, 'reason');
  let now = 0;
  const notifications = {
    tenants: opened.queue.tenants,
    resume: async () => {
      now += 20_000;
    },
  };
  const { position } = await sweep({ notifications, executionOf: terminated, now: () => now });
  expect(position).toEqual({ notified: 'acme', running: '', stuck: '' });
  expect((await opened.register.get('globex'))?.outcome).toBe('terminated');
});

test('asks alone about a tenant that visibility does not list as running', async () => {
  for (const tenantId of ['acme', 'globex', 'initech']) await opened.add(tenantId, 'reason');
  const asked: string[] = [];
  const executionOf = async ({ tenantId }: StoredRecord) => {
    asked.push(tenantId);
    return 'running' as const;
  };
  const listedAsRunning = async (tenants: readonly string[]) => new Set(tenants.filter((id) => id !== 'globex'));
  expect((await sweep({ executionOf, listedAsRunning })).position).toEqual({ notified: '', running: '', stuck: '' });
  expect(asked).toEqual(['globex']);
  const down = async () => Promise.reject(new Error('visibility is down'));
  const { logged } = await sweep({ executionOf, listedAsRunning: down });
  expect(logged.join()).toContain('the sweep cannot list running executions');
  expect(asked).toEqual(['globex']);
});

test('an end is recorded once, and erases nothing that was recorded before', async () => {
  await opened.add('acme', 'reason');
  await opened.add('globex', 'reason');
  const executionOf = (record: StoredRecord) =>
    record.tenantId === 'acme' ? terminated(record) : Promise.resolve('running' as const);
  // As visibility reports it: also a tenant that has ended, and one that this database does not know.
  const recentlyTerminated = async () => ['acme', 'unknown'];
  expect((await sweep({ executionOf, recentlyTerminated })).failure).toMatchObject({
    message: 'Found 0 tenants with pending notifications; recorded 1 end of onboardings.',
  });
  expect((await sweep({ executionOf, recentlyTerminated })).failure).toMatchObject({
    message: 'Found 0 tenants with pending notifications; recorded 0 ends of onboardings.',
  });
  expect((await opened.register.get('acme'))?.outcome).toBe('terminated');
  expect((await opened.register.get('globex'))?.outcome).toBe('running');
  const ends = await opened.queue.list({ type: 'onboarding.terminated' }, { limit: 10 });
  expect(ends.map(({ tenantId }) => tenantId)).toEqual(['acme']);
});

test('an onboarding without an execution has not ended: of a few it is noted, of more it is only reported', async () => {
  const tenants = ['acme', 'globex', 'initech', 'umbrella'];
  for (const tenantId of tenants) await opened.add(tenantId, 'reason');
  const rows = () => opened.database.selectFrom('onboardings').selectAll().orderBy('tenant_id').execute();
  const before = await rows();
  const missing = async () => 'missing' as const;
  const all = await sweep({ executionOf: missing });
  expect(await rows()).toEqual(before);
  expect(all.logged.join()).toContain('Temporal has no execution of 4 onboardings that the register shows as running');
  expect(all.failure).toMatchObject({
    message: expect.stringContaining('Temporal has no execution of acme, globex, initech, umbrella.'),
  });

  const executionOf = async ({ tenantId }: StoredRecord) => (tenantId === 'acme' ? 'missing' : 'running');
  const { logged } = await sweep({ executionOf });
  expect(logged.join()).toContain('"tenants":"acme"');
  const noted = await opened.register.get('acme');
  expect(noted).toMatchObject({
    outcome: 'running',
    waiting: { message: expect.stringContaining('sendoff cancel acme') },
  });
  // Once, not at each sweep.
  await sweep({ executionOf });
  expect(await opened.register.get('acme')).toEqual(noted);
  const ends = await opened.queue.list({ type: 'onboarding.terminated' }, { limit: 10 });
  expect(ends).toEqual([]);
});

test('records no end in a Namespace that is not the one of the database', async () => {
  await opened.add('acme', 'reason');
  const requireOwnNamespace = () => Promise.reject(new Error('it belongs to another Namespace'));
  const recentlyTerminated = async () => ['acme'];
  const { logged } = await sweep({ requireOwnNamespace, executionOf: terminated, recentlyTerminated });
  expect(logged.join()).toContain('it belongs to another Namespace');
  expect((await opened.register.get('acme'))?.outcome).toBe('running');
});

test('erases the tokens of claims whose minute is over', async () => {
  await opened.database
    .insertInto('api_key_claims')
    .values({
      ...{ attempt_id: 'attempt-1', tenant_id: 'acme', key_id: 'key_1', by: 'ada', api_token_name: 'backend' },
      ...{ at: '2026-01-01T00:00:00.000Z', replay_key_hash: 'hash', sealed_token: 'sealed' },
      replay_until: '2026-01-01T00:01:00.000Z',
    })
    .execute();
  await sweep({});
  const [claim] = await opened.database.selectFrom('api_key_claims').selectAll().execute();
  expect(claim).toMatchObject({ by: 'ada', sealed_token: null, replay_key_hash: null, replay_until: null });
});

test.each([
  ['Temporal reports', async (stuck: readonly string[]) => [...stuck]],
  ['an older server does not report', async () => undefined],
])('an onboarding that %s as stuck is recorded, and no longer once it continues', async (_server, reported) => {
  for (const tenantId of ['acme', 'globex']) await opened.add(tenantId, 'reason');
  const task = { since: '2026-01-01T00:00:00.000Z', message: '[TMPRL1100] Nondeterminism error' };
  let stuck = ['globex'];
  const stuckOnboardings = {
    reported: () => reported(stuck),
    taskOf: async (tenantId: string) => (stuck.includes(tenantId) ? task : undefined),
  };
  const recorded = async () =>
    Promise.all(['acme', 'globex'].map(async (id) => (await opened.register.get(id))?.stuck));
  await sweep({ stuckOnboardings });
  expect(await recorded()).toEqual([null, task]);
  expect(await opened.register.list({ stuck: true }, { limit: 10 })).toMatchObject([{ tenantId: 'globex' }]);
  stuck = [];
  await sweep({ stuckOnboardings });
  expect(await recorded()).toEqual([null, null]);
});

test('those that are not recorded as stuck yet come before all that are, on whatever page', async () => {
  const old = Array.from({ length: 1_500 }, (_, index) => `tenant-${String(index).padStart(4, '0')}`);
  const asked: string[] = [];
  await opened.add('unrecorded', 'reason');
  for (const tenantId of old.slice(-2)) await opened.add(tenantId, 'reason');
  await sweep({
    stuckTenants: async ({ after, limit }) => old.filter((tenantId) => tenantId > after).slice(0, limit),
    stuckOnboardings: {
      reported: async (limit) => [...old, 'unrecorded'].slice(0, limit),
      taskOf: async (tenantId) => {
        asked.push(tenantId);
        return undefined;
      },
    },
  });
  expect(asked).toEqual(['unrecorded']);
});

test('finds that the database was restored: it has lost an event that an earlier sweep saw', async () => {
  const { database, add } = opened;
  const restores = databaseRestores(database);
  await add('acme', 'reason');
  const { position } = await sweep({ restores });
  await add('globex', 'reason');
  const { position: later } = await sweep({ restores }, position);
  expect(await restoredAt(database)).toBeUndefined();

  const events = await database.selectFrom('onboarding_events').selectAll().execute();
  const lost = events.at(-1)?.id ?? 0;
  await database.deleteFrom('onboarding_events').where('id', '=', lost).execute();
  const { logged, position: restored } = await sweep({ restores }, later);
  expect(logged.join()).toContain('it was restored');
  const found = await restoredAt(database);
  expect(Date.parse(found!)).toBeLessThanOrEqual(Date.now());
  // Another event has got its number since.
  await database
    .insertInto('onboarding_events')
    .values({ ...events.at(-1)!, event_id: 'evt_other' })
    .execute();
  await sweep({ restores }, later);
  expect(await restoredAt(database)).toBe(found);

  await forgetRestored(database);
  await sweep({ restores }, restored);
  expect(await restoredAt(database)).toBeUndefined();
});

test('does not take what the retention removed for lost', async () => {
  const { database, add } = opened;
  const restores = databaseRestores(database);
  await add('acme', 'reason');
  const { position } = await sweep({ restores });
  await database.deleteFrom('onboarding_events').execute();
  await sql`update installation set events_removed_to = 1000000`.execute(database);
  await sweep({ restores }, position);
  expect(await restoredAt(database)).toBeUndefined();
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Schema } from '../../../src/store/database.ts';
import { removals } from '../../../src/store/upkeep/expired-rows.ts';
import type { PagePosition, PageToRemove, RemovedPage } from '../../../src/lib/retention/remove-expired.ts';
import { beginOnboarding } from '../../support/begin-onboarding.ts';
import { type NotifiedRegister, openNotifiedRegister } from '../../support/notified-register.ts';
import { recordQueries, type RecordedQueries } from '../../support/record-queries.ts';

const BEFORE = '2026-06-01T00:00:00.000Z';
const OLD = '2026-05-31T23:59:59.999Z';

let opened: NotifiedRegister;
let queries: RecordedQueries<Schema>;
beforeEach(async () => {
  opened = await openNotifiedRegister();
  queries = recordQueries(opened.database);
});
afterEach(async () => {
  await queries.expectIndexed();
  await opened.end();
});

/** All pages of two rows. @returns how many rows were removed */
async function removeAll(kind: keyof typeof removals): Promise<number> {
  let removed = 0;
  for (let after: PagePosition | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const asked: PageToRemove = { before: BEFORE, after, limit: 2 };
    const page: RemovedPage = await removals[kind](queries.database, asked);
    removed += page.removed;
    after = page.next;
  }
  return removed;
}

const eventIds = async (): Promise<number[]> =>
  (await opened.register.events({ after: 0, limit: 100 })).map(({ id }) => id);

/** Events 1 to `count`: the first is the begin, the others have a notification. */
async function events(count: number): Promise<void> {
  await beginOnboarding(opened.register, 'acme');
  for (let n = 2; n <= count; n += 1) await opened.add('acme', String(n));
  await opened.database.updateTable('onboarding_events').set({ at: OLD, delivery: 'delivered' }).execute();
}

test('old events leave, except pending ones and the newest', async () => {
  await events(8);
  const change = (set: { at?: string; delivery?: 'pending' | 'delivered' | 'failed' | 'none' }, ...ids: number[]) =>
    opened.database.updateTable('onboarding_events').set(set).where('id', 'in', ids).execute();
  await change({ delivery: 'pending' }, 2, 3);
  await change({ delivery: 'failed' }, 4);
  await change({ delivery: 'none' }, 5);
  await change({ at: BEFORE }, 6);
  // Recorded by a Worker whose clock is behind.
  await change({ at: OLD }, 7);
  expect(await removeAll('events')).toBe(4);
  expect(await eventIds()).toEqual([2, 3, 6, 8]);
  // A listener that has 4 of these misses 5 and 7: the stream begins with a reset.
  expect(await opened.register.eventRange()).toEqual({ oldest: 8, latest: 8 });

  await change({ delivery: 'delivered' }, 2, 3);
  expect(await removeAll('events')).toBe(2);
  expect(await opened.register.eventRange()).toEqual({ oldest: 8, latest: 8 });
});

test('the ids of events that have left are not used again', async () => {
  await events(3);
  expect(await removeAll('events')).toBe(2);
  await opened.add('acme', 'later');
  expect(await eventIds()).toEqual([3, 4]);
});

test('young events stay, and the walk ends at the first page of them', async () => {
  await events(6);
  await opened.database.updateTable('onboarding_events').set({ at: BEFORE }).execute();
  expect(await removals.events(queries.database, { before: BEFORE, after: undefined, limit: 2 })).toEqual({
    removed: 0,
    next: undefined,
  });
});

test('the claim of an onboarding stays until a later one of the tenant has replaced it', async () => {
  await beginOnboarding(opened.register, 'acme', 'second');
  await beginOnboarding(opened.register, 'beta', 'only');
  const claim = (attempt: string, tenant: string, at: string) => ({
    ...{ attempt_id: attempt, tenant_id: tenant, key_id: 'key_1', by: 'ada', api_token_name: 'backend', at },
    ...{ replay_key_hash: null, sealed_token: null, replay_until: null },
  });
  await opened.database
    .insertInto('api_key_claims')
    .values([
      claim('first', 'acme', OLD),
      claim('second', 'acme', OLD),
      claim('only', 'beta', OLD),
      claim('forgotten', 'beta', OLD),
      claim('young', 'beta', BEFORE),
    ])
    .execute();
  expect(await removeAll('claims')).toBe(2);
  const kept = await opened.database.selectFrom('api_key_claims').select('attempt_id').orderBy('attempt_id').execute();
  expect(kept.map(({ attempt_id }) => attempt_id)).toEqual(['only', 'second', 'young']);
});

test('a link stays until its onboarding has ended before the time, or another one of the tenant has begun', async () => {
  await beginOnboarding(opened.register, 'acme', 'second');
  await beginOnboarding(opened.register, 'beta', 'ended');
  await beginOnboarding(opened.register, 'gamma', 'just-ended');
  const endedAt = (tenantId: string, ended_at: string) =>
    opened.database.updateTable('onboardings').set({ ended_at }).where('tenant_id', '=', tenantId).execute();
  await endedAt('beta', OLD);
  await endedAt('gamma', BEFORE);
  const link = (id_hash: string, tenant_id: string, attempt_id: string, created_at = OLD) => ({
    ...{ id_hash, tenant_id, attempt_id, key_id: 'key', created_at, revoked_at: null },
  });
  await opened.database
    .insertInto('setup_links')
    .values([
      link('replaced', 'acme', 'first'),
      link('running', 'acme', 'second'),
      link('ended', 'beta', 'ended'),
      link('just-ended', 'gamma', 'just-ended'),
      link('young', 'beta', 'ended', BEFORE),
    ])
    .execute();
  expect(await removeAll('setup links')).toBe(2);
  const kept = await opened.database.selectFrom('setup_links').select('id_hash').orderBy('id_hash').execute();
  expect(kept.map(({ id_hash }) => id_hash)).toEqual(['just-ended', 'running', 'young']);
});

test('an event of a provider stays while an onboarding of its tenant runs', async () => {
  await beginOnboarding(opened.register, 'running');
  const event = (event_id: string, tenant_id: string, received_at = OLD) => ({
    ...{ provider: 'resend' as const, event_id, tenant_id, type: 'delivered' as const, at: OLD, received_at },
    ...{ email_id: 'e-1', intent_id: null, bounce: null },
  });
  await opened.database
    .insertInto('provider_events')
    .values([
      event('1', 'running'),
      event('2', 'ended'),
      event('3', 'ended'),
      event('4', 'ended'),
      event('5', 'ended', BEFORE),
    ])
    .execute();
  expect(await removeAll('provider events')).toBe(3);
  const kept = await opened.database.selectFrom('provider_events').select('event_id').orderBy('event_id').execute();
  expect(kept.map(({ event_id }) => event_id)).toEqual(['1', '5']);
});

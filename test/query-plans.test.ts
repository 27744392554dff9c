import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSqlCheckStore } from '../src/store/agents-md/check-store.ts';
import { createSqlProducers } from '../src/store/agents-md/sql-producers.ts';
import { createSqlNotificationQueue } from '../src/store/upkeep/notification-queue.ts';
import { countRunning, countStuck, runningTenants, stuckTenants } from '../src/store/onboarding/running-tenants.ts';
import { createSqlRegister } from '../src/store/onboarding/sql-register.ts';
import { openDatabase } from '../src/store/database.ts';
import { openStore } from '../src/email-service/store/open-store.ts';
import { readEmails } from '../src/email-service/store/lists.ts';
import { claimStarts, forgetStarts, outboxSize, releaseStarts } from '../src/email-service/store/outbox.ts';
import { eraseExpiredSecrets } from '../src/email-service/store/idempotency-keys.ts';
import type { Schema } from '../src/email-service/store/schema.ts';
import { sealedSecrets } from '../src/email-service/store/sealed-secrets.ts';
import type { PreviousCheck } from '../src/agents-md/check-result.ts';
import { createSealer } from '../src/lib/sealing.ts';
import { createSqlSecretStore } from '../src/store/secret-store.ts';
import { sealedSecrets as orchestratorSecrets } from '../src/store/sealed-secrets.ts';
import { recordQueries, planOf, type RecordedQueries, slowSteps } from './support/record-queries.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

// The tests of the email service's routes and Activities check what they run themselves, by `recordQueries`.

let folder: string;
const url = (name: string): string => `file:${join(folder, name)}`;
beforeEach(() => {
  folder = temporaryFolder();
});

describe('the outbox', () => {
  let queries: RecordedQueries<Schema>;
  beforeEach(async () => {
    queries = recordQueries(await openStore(url('email-service.db')));
  });
  afterEach(() => queries.database.destroy());

  const addRows = (count: number): Promise<void> =>
    queries.database.transaction().execute(async (transaction) => {
      const rows = Array.from({ length: count }, (_, n) => ({
        workflow_id: `w${String(n)}`,
        workflow_type: 'deliverEmail',
        input: '{}',
        created_at: new Date(1_700_000_000_000 + n).toISOString(),
      }));
      for (let at = 0; at < count; at += 500)
        await transaction
          .insertInto('outbox')
          .values(rows.slice(at, at + 500))
          .execute();
    });
  const claim = async (limit: number) =>
    (await claimStarts(queries.database, limit)).map(({ workflow_id: id }) => id).sort();

  test('is claimed, released and deleted without a scan or a sort', async () => {
    await claim(20);
    await releaseStarts(queries.database, ['w', 'x']);
    await forgetStarts(queries.database, ['w', 'x']);
    await outboxSize(queries.database);
    await queries.expectIndexed();
  });

  test('is counted, and its oldest row found', async () => {
    expect(await outboxSize(queries.database)).toEqual({ rows: 0, oldestAt: undefined });
    await addRows(7);
    expect(await outboxSize(queries.database)).toEqual({ rows: 7, oldestAt: '2023-11-14T22:13:20.000Z' });
  });

  test('gives each row to one claimant, the oldest first, until the claim is released or over', async () => {
    await addRows(5);
    expect(await claim(2)).toEqual(['w0', 'w1']);
    expect(await claim(2)).toEqual(['w2', 'w3']);
    await releaseStarts(queries.database, ['w1']);
    expect(await claim(9)).toEqual(['w1', 'w4']);
    expect(await claim(9)).toEqual([]);
    await queries.database.updateTable('outbox').set({ claimed_until: 1 }).where('workflow_id', '=', 'w3').execute();
    expect(await claim(9)).toEqual(['w3']);
  });

  test('secrets are found by index when they are erased and when a key is tried at start', async () => {
    await eraseExpiredSecrets(queries.database, new Date());
    for await (const secret of sealedSecrets(queries.database)) expect(secret).toBeUndefined();
    await queries.expectIndexed();
  });
});

test('no query of the orchestrator reads a whole table or sorts', async () => {
  const { database, expectIndexed } = recordQueries(await openDatabase(url('sendoff.db')));
  const secrets = createSqlSecretStore(database, createSealer([randomBytes(32)]));
  await secrets.put('a', 'b');
  await secrets.get('a');
  await secrets.delete('a');
  for await (const secret of orchestratorSecrets(database)) expect(secret).toBeUndefined();
  const checks = createSqlCheckStore(database);
  const check = { result: { subject: { producerId: 'p' } } } as unknown as PreviousCheck;
  await checks.replace({ check, version: '1' }, null);
  await checks.replace({ check, version: '2' }, '1');
  await expectIndexed();
  await database.destroy();
});

test.each([
  ['recipient', { recipient: 'ada@inbox.test' }],
  ['domain', { domain: 'inbox.test', status: 'bounced' }],
] as const)('emails of a period are found by the index of the %s', async (name, filters) => {
  const { database, queries } = recordQueries(await openStore(url('email-service.db')));
  const period = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-02-01T00:00:00Z') };
  await readEmails(database, { accountId: 'acc', afterId: 'eml', limit: 50 }, { ...filters, ...period });
  const plans = await Promise.all([...queries].map((query) => planOf(database, query)));
  expect(plans.flat()).toEqual([expect.stringContaining(`INDEX emails_list_by_${name} (`)]);
  await database.destroy();
});

test('a full scan and a sort are recognised', async () => {
  const store = await openStore(url('email-service.db'));
  expect(await slowSteps(store, 'select * from emails where subject = ?')).toEqual(['SCAN emails']);
  expect(await slowSteps(store, 'select * from emails where account_id = ? order by subject')).toEqual([
    'USE TEMP B-TREE FOR ORDER BY',
  ]);
  expect(await slowSteps(store, 'select * from outbox order by created_at, workflow_id')).toHaveLength(1);
  expect(await slowSteps(store, 'select * from outbox order by created_at, workflow_id limit 20')).toEqual([]);
  await store.destroy();
});

test('onboardings and notifications are listed without a scan or a sort', async () => {
  const queries = recordQueries(await openDatabase(url('sendoff.db')));
  const register = createSqlRegister(queries.database);
  const after = { startedAt: '2026-01-01T00:00:00.000Z', tenantId: 'acme' };
  const filters = [
    {},
    { outcome: 'running' },
    { stage: 'awaitingDomain' },
    { exit: 'F1' },
    { needsAttention: true },
    { stuck: true },
  ] as const;
  for (const filter of filters) {
    await register.list(filter, { limit: 10 });
    await register.list(filter, { limit: 10, after });
  }
  for (const tenants of [runningTenants, stuckTenants]) await tenants(queries.database, { after: 'acme', limit: 10 });
  await countRunning(queries.database, new Date());
  await countStuck(queries.database);
  const queue = createSqlNotificationQueue(queries.database);
  for (const tenantId of [undefined, 'acme']) {
    for (const status of [undefined, 'failed'] as const) {
      for (const type of [undefined, 'onboarding.failed'] as const) {
        await queue.list({ tenantId, status, type }, { limit: 10, before: 5 });
      }
    }
  }
  await queue.next('acme');
  await queue.oldestPending();
  await queue.tenants({ after: '', limit: 10 });
  await register.events({ after: 5, limit: 10 });
  await register.events({ after: 5, tenantId: 'acme', limit: 10 });
  await queries.expectIndexed();
  await queries.database.destroy();
});

test('producers are listed, and found when they are due, without a scan or a sort', async () => {
  const queries = recordQueries(await openDatabase(url('sendoff.db')));
  const producers = createSqlProducers(queries.database);
  const at = '2026-01-01T00:00:00.000Z';
  for (const outcome of [undefined, 'fail'] as const) {
    for (const reason of [undefined, 'stub', 'throttled'] as const) {
      for (const label of [undefined, 'core']) {
        for (const changedSince of [undefined, at]) {
          for (const after of [undefined, [at, 'p']] as const) {
            await producers.list({ outcome, reason, label, changedSince }, { limit: 10, after });
          }
        }
      }
    }
  }
  await producers.get('p');
  await producers.results('p');
  await producers.dueHosts(at);
  for (const after of [null, ['o', 'r', 'p']] as const) {
    await producers.due({ host: 'github.com', dueBy: at, after, limit: 10 });
  }
  await queries.expectIndexed();
  await queries.database.destroy();
});

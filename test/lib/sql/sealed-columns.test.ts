import { randomBytes } from 'node:crypto';
import { type KyselyPlugin } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sealedColumns as sealedByEmailService } from '../../../src/email-service/store/sealed-secrets.ts';
import { createSealer } from '../../../src/lib/sealing.ts';
import { countByKey, reseal } from '../../../src/lib/sql/sealed-columns.ts';
import { sealedColumns } from '../../../src/store/sealed-secrets.ts';
import { createSqlSecretStore } from '../../../src/store/secret-store.ts';
import { openTestStore } from '../../email-service/support/test-store.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';

const [old, current, lost] = [randomBytes(32), randomBytes(32), randomBytes(32)];

describe('the secrets of the orchestrator', () => {
  let opened: TestRegister;
  beforeEach(async () => {
    opened = await openTestRegister();
  });
  afterEach(() => opened.end());

  const secrets = (...keys: Buffer[]) => createSqlSecretStore(opened.database, createSealer(keys));
  const put = async (count: number, key: Buffer): Promise<void> => {
    const refs = Array.from({ length: count }, (_, n) => `onboarding/t${n}/api-key`);
    const sealer = createSealer([key]);
    const rows = refs.map((ref, n) => ({ ref, sealed: sealer.seal(`token ${n}`, ref), updated_at: '2026-01-01' }));
    await opened.database.insertInto('secrets').values(rows).execute();
  };

  test('are all sealed with the first key, in several pages, and open as before', async () => {
    await put(510, old);
    await secrets(current).put('onboarding/new/api-key', 'newer');
    const progress: [number, number][] = [];
    expect(await reseal(opened.database, sealedColumns, [current, old], (...at) => progress.push(at))).toBe(510);
    expect(progress).toEqual([
      [500, 499],
      [511, 510],
    ]);
    expect(await secrets(current).get('onboarding/t509/api-key')).toBe('token 509');
    expect(await secrets(current).get('onboarding/new/api-key')).toBe('newer');
  });

  test('are left alone by a second run', async () => {
    await put(3, old);
    await reseal(opened.database, sealedColumns, [current, old]);
    const before = await opened.database.selectFrom('secrets').selectAll().execute();
    expect(await reseal(opened.database, sealedColumns, [current, old])).toBe(0);
    expect(await opened.database.selectFrom('secrets').selectAll().execute()).toEqual(before);
  });

  test('are counted by key, and those that no key opens by what they are', async () => {
    await put(2, old);
    await secrets(current).put('onboarding/new/api-key', 'newer');
    await secrets(lost).put('onboarding/lost/api-key', 'lost');
    expect(await countByKey(opened.database, sealedColumns, [current, old])).toEqual({
      total: 4,
      openedBy: [1, 2],
      unopened: { 'secrets of tenants': 1 },
    });
    expect(await reseal(opened.database, sealedColumns, [current, old])).toBe(2);
    expect(await secrets(lost).get('onboarding/lost/api-key')).toBe('lost');
  });

  test('keep what a program writes or deletes after the page was read', async () => {
    await put(3, old);
    const changeAfterRead: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (result.rows.some((row) => row['ref'] === 'onboarding/t0/api-key')) {
          await secrets(old).put('onboarding/t0/api-key', 'rewritten');
          await secrets(old).delete('onboarding/t1/api-key');
        }
        return result;
      },
    };
    const resealed = await reseal(opened.database.withPlugin(changeAfterRead), sealedColumns, [current, old]);
    expect(resealed).toBe(1);
    expect(await secrets(old).get('onboarding/t0/api-key')).toBe('rewritten');
    expect(await secrets(old).get('onboarding/t1/api-key')).toBeUndefined();
    expect(await secrets(current).get('onboarding/t2/api-key')).toBe('token 2');
  });
});

test('the secrets of the email service are sealed with the first key: DKIM keys, signing secrets, one-time secrets and the key of erasures', async () => {
  const prepared = await openTestStore();
  const { store, sealer, sealingKey } = prepared;
  await prepared.webhook(['email.delivered']);
  const places = Array.from({ length: 501 }, (_, n) => ({ owner: `acc_${n % 2}`, key: `key ${n}` }));
  await store
    .insertInto('idempotency_keys')
    .values(
      places.map(({ owner, key }) => ({
        ...{ owner, key, fingerprint: 'f', response_status: 201, response_body: '{}', created_at: '2026-01-01' },
        sealed_secret: key === 'key 0' ? null : sealer.seal('token', `idempotency/${owner}/${key}`),
        secret_expires_at: '2026-01-02',
      })),
    )
    .execute();
  expect(await reseal(store, sealedByEmailService, [current, sealingKey])).toBe(503);
  expect(await countByKey(store, sealedByEmailService, [current])).toEqual({
    total: 503,
    openedBy: [503],
    unopened: {},
  });
  await prepared.end();
});

test('every sealed column of both schemas is one of those that are sealed again', async () => {
  const [prepared, register] = [await openTestStore(), await openTestRegister()];
  const databases = [prepared.store, register.database];
  const tables = (await Promise.all(databases.map((database) => database.introspection.getTables()))).flat();
  const inSchema = tables.flatMap(({ name, columns }) =>
    columns.flatMap((column) => (column.name.startsWith('sealed') ? [`${name}.${column.name}`] : [])),
  );
  const known = [...sealedByEmailService, ...sealedColumns].map(({ table, column }) => `${table}.${column}`);
  expect(inSchema.sort()).toEqual(known.sort());
  await register.end();
  await prepared.end();
});

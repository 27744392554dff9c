import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSealer, type Sealer } from '../../src/lib/sealing.ts';
import { openDatabase } from '../../src/store/database.ts';
import { deleteIssued, getIssued, putIssued } from '../../src/store/issued-secret.ts';
import { type SecretStore, createSqlSecretStore } from '../../src/store/secret-store.ts';
import { emptyTestDatabase, onSqlite, type TestDatabase, testDatabase } from '../support/test-database.ts';

let testDb: TestDatabase;
const key = randomBytes(32);

beforeEach(async () => {
  testDb = await testDatabase('orchestrator');
});
afterEach(() => testDb.end());

/** The store, and what closes its database. */
async function openStore(sealer: Sealer): Promise<SecretStore & { rows(): Promise<object[]>; close(): Promise<void> }> {
  const database = await openDatabase(testDb.url);
  return {
    ...createSqlSecretStore(database, sealer),
    rows: () => database.selectFrom('secrets').selectAll().execute(),
    close: () => database.destroy(),
  };
}

test('a secret is there after a restart, can be replaced, and is gone when deleted', async () => {
  const store = await openStore(createSealer([key]));
  await store.put('onboarding/acme/api-key', 'first');
  await store.put('onboarding/acme/api-key', 'second');
  await store.close();
  const again = await openStore(createSealer([key]));
  expect(await again.get('onboarding/acme/api-key')).toBe('second');
  await again.delete('onboarding/acme/api-key');
  await again.delete('onboarding/acme/api-key');
  expect(await again.get('onboarding/acme/api-key')).toBeUndefined();
  await again.close();
});

test('the secret of a resource is deleted, and that of another one, which has replaced it, is not', async () => {
  const store = await openStore(createSealer([key]));
  const ref = 'onboarding/acme/api-key';
  const replacing = { id: 'key_2', secret: 'second' };
  await putIssued(store, ref, replacing);
  await deleteIssued(store, ref, 'key_1');
  expect(await getIssued(store, ref)).toEqual(replacing);
  await deleteIssued(store, ref, 'key_2');
  await deleteIssued(store, ref, 'key_2');
  expect(await getIssued(store, ref)).toBeUndefined();
  await store.close();
});

test('the database holds nothing readable, and another key opens nothing', async () => {
  const store = await openStore(createSealer([key]));
  await store.put('ref', 'so_live_very_secret');
  const rows = await store.rows();
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain('very_secret');
  await store.close();
  const other = await openStore(createSealer([randomBytes(32)]));
  await expect(other.get('ref')).rejects.toThrow('cannot open the secret of ref');
  await other.close();
});

onSqlite(() => {
  test('only this user can read the file', async () => {
    const { url, end } = await emptyTestDatabase();
    await (await openDatabase(url)).destroy();
    expect(statSync(url.replace('file:', '')).mode & 0o777).toBe(0o600);
    await end();
  });
});

test('after a rotation the new key seals, and the old one still opens', async () => {
  const old = await openStore(createSealer([key]));
  await old.put('ref', 'kept');
  await old.close();
  const rotated = await openStore(createSealer([randomBytes(32), key]));
  expect(await rotated.get('ref')).toBe('kept');
  await rotated.close();
});

test('a value moved to another reference does not open', () => {
  const sealer = createSealer([key]);
  const sealed = sealer.seal('value', 'onboarding/acme/api-key');
  expect(() => sealer.open(sealed, 'onboarding/other/api-key')).toThrow('cannot open');
  expect(() => sealer.open(`${sealed.slice(0, -4)}AAAA`, 'onboarding/acme/api-key')).toThrow('cannot open');
  expect(() => sealer.open('v1.', 'onboarding/acme/api-key')).toThrow('cannot open');
});

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSealer, type Sealer } from '../../src/lib/sealing.ts';
import { openDatabase } from '../../src/store/database.ts';
import type { SecretStore } from '../../src/store/secret-store.ts';
import { createSqlSecretStore } from '../../src/store/sql-secret-store.ts';

let folder: string;
let url: string;
const key = randomBytes(32);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sendoff-secrets-'));
  url = `file:${join(folder, 'inner', 'secrets.db')}`;
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The store, and what closes its file. */
async function openStore(sealer: Sealer): Promise<SecretStore & { close(): Promise<void> }> {
  const database = await openDatabase(url);
  return { ...createSqlSecretStore(database, sealer), close: () => database.destroy() };
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

test('the file holds nothing readable, and another key opens nothing', async () => {
  const store = await openStore(createSealer([key]));
  await store.put('ref', 'so_live_very_secret');
  await store.close();
  const path = url.replace('file:', '');
  expect(readFileSync(path, 'latin1')).not.toContain('very_secret');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const other = await openStore(createSealer([randomBytes(32)]));
  await expect(other.get('ref')).rejects.toThrow('cannot open the secret of ref');
  await other.close();
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

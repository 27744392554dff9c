import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../src/store/database.ts';
import { sealedSecrets as sealedByEmailService } from '../../src/email-service/store/sealed-secrets.ts';
import { requireMatchingKey } from '../../src/lib/require-matching-key.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { matchingSealer } from '../../src/store/matching-sealer.ts';
import { createSqlSecretStore } from '../../src/store/secret-store.ts';
import { SettingsError } from '../../src/lib/settings.ts';
import { openTestStore } from '../email-service/support/test-store.ts';
import { OPERATOR_TOKEN, startTestApi } from '../email-service/support/test-api.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const [used, another] = [randomBytes(32), randomBytes(32)];
let folder: string;
let database: Database;
let databaseUrl: string;

beforeEach(async () => {
  folder = temporaryFolder();
  databaseUrl = `file:${join(folder, 'sendoff.db')}`;
  database = await openDatabase(databaseUrl);
});
afterEach(async () => {
  await database.destroy();
});

const keep = async (count: number): Promise<void> => {
  const refs = Array.from({ length: count }, (_, n) => `onboarding/t${n}/api-key`);
  const sealer = createSealer([used]);
  const rows = refs.map((ref) => ({ ref, sealed: sealer.seal('secret', ref), updated_at: '2026-01-01' }));
  await database.insertInto('secrets').values(rows).execute();
};
const matching = (...secretKeys: Buffer[]) => matchingSealer({ secretKeys, databaseUrl }, database);

const aSealer = expect.objectContaining({ seal: expect.any(Function) as unknown }) as unknown;

test('any key fits a database without secrets', async () => {
  await expect(matching(another)).resolves.toEqual(aSealer);
});

test('a key that opens nothing of what is in the database is refused with the names of the settings', async () => {
  await keep(2);
  const refusal = matching(another);
  await expect(refusal).rejects.toThrow(SettingsError);
  await expect(refusal).rejects.toThrow(
    `SENDOFF_SECRET_KEY decrypts none of the secrets in ${databaseUrl}. Set it to the key that encrypted them`,
  );
  await expect(refusal).rejects.toThrow('SENDOFF_DATABASE_URL');
  await expect(refusal).rejects.not.toThrow(another.toString('base64'));
});

test('the key that sealed them fits, also as the former one of several', async () => {
  await keep(2);
  await expect(matching(used)).resolves.toEqual(aSealer);
  await expect(matching(another, used)).resolves.toEqual(aSealer);
});

test('one secret that the key opens is enough, however many others there are', async () => {
  await keep(1_100);
  await createSqlSecretStore(database, createSealer([another])).put('onboarding/zz/api-key', 'secret');
  await expect(matching(another)).resolves.toEqual(aSealer);
});

const names = { key: 'EMAIL_SERVICE_ENCRYPTION_KEY', database: 'EMAIL_SERVICE_DATABASE_URL', databaseUrl: 'file:x' };

test('the email service knows its keys by those of domains and webhooks', async () => {
  const kept = await openTestStore();
  const { store, sealer } = kept;
  await kept.webhook(['email.delivered']);
  await requireMatchingKey(sealer, sealedByEmailService(store), names);
  await expect(requireMatchingKey(createSealer([another]), sealedByEmailService(store), names)).rejects.toThrow(
    'EMAIL_SERVICE_ENCRYPTION_KEY decrypts none of the secrets',
  );
  await store.deleteFrom('senders').execute();
  await store.deleteFrom('domains').execute();
  await requireMatchingKey(sealer, sealedByEmailService(store), names);
  await kept.end();
});

test('the email service knows its keys by the tokens it may still have to show', async () => {
  const api = await startTestApi();
  const { store, sealer } = api;
  await api.post('/api-keys', { account: 'acme' }, { token: OPERATOR_TOKEN, key: 'k1' });
  await requireMatchingKey(sealer, sealedByEmailService(store), names);
  await expect(requireMatchingKey(createSealer([another]), sealedByEmailService(store), names)).rejects.toThrow(
    'decrypts none of the secrets',
  );
  await api.end();
});

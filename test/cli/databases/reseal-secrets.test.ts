import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DatabaseCommandOptions } from '../../../src/cli/databases/program-databases.ts';
import { resealSecrets } from '../../../src/cli/databases/reseal-secrets.ts';
import { createSealer } from '../../../src/lib/sealing.ts';
import { type Database, openDatabase } from '../../../src/store/database.ts';
import { createSqlRegister } from '../../../src/store/onboarding/sql-register.ts';
import { createSqlSetupLinks } from '../../../src/store/onboarding/setup-links.ts';
import { createSqlSecretStore } from '../../../src/store/secret-store.ts';
import { openTestStore, type TestStore } from '../../email-service/support/test-store.ts';
import { beginOnboarding } from '../../support/begin-onboarding.ts';
import { onSqlite } from '../../support/test-database.ts';
import { holdWriteLock } from '../../support/write-lock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const [old, current] = [randomBytes(32), randomBytes(32)];
const listOf = (...keys: Buffer[]): string => keys.map((key) => key.toString('base64')).join(',');

let folder: string;
let url: string;
let database: Database;
let emailService: TestStore;
beforeEach(async () => {
  folder = temporaryFolder();
  url = `file:${join(folder, 'sendoff.db')}`;
  database = await openDatabase(url);
  emailService = await openTestStore();
});
afterEach(async () => {
  await emailService.end();
  await database.destroy();
});

const put = (key: Buffer, ref: string): Promise<void> =>
  createSqlSecretStore(database, createSealer([key])).put(ref, 'token');

async function run(options: DatabaseCommandOptions, settings: Record<string, string> = {}) {
  let [text, progress] = ['', ''];
  const code = await resealSecrets(options, {
    environment: {
      SENDOFF_DATABASE_URL: url,
      SENDOFF_SECRET_KEY: listOf(current, old),
      EMAIL_SERVICE_DATABASE_URL: emailService.databaseUrl,
      EMAIL_SERVICE_ENCRYPTION_KEY: listOf(current, emailService.sealingKey),
      ...settings,
    },
    write: (part) => void (text += part),
    progress: { isTTY: true, write: (part: string) => void (progress += part) },
  });
  for (const key of [old, current, emailService.sealingKey])
    expect(text + progress).not.toContain(key.toString('base64'));
  return { code, text, progress };
}

test('encrypts the secrets of both programs with the first key, and names the keys that can be removed', async () => {
  await put(old, 'onboarding/acme/api-key');
  const { code, text, progress } = await run({});
  expect(text).toBe(
    [
      `SENDOFF_SECRET_KEY, ${url}`,
      '  encrypted again: 1 of 1 secret',
      '  key 1 decrypts 1',
      '  key 2 decrypts 0',
      '  no secret needs key 2: remove it from SENDOFF_SECRET_KEY, but keep it for older backups',
      `EMAIL_SERVICE_ENCRYPTION_KEY, ${emailService.databaseUrl}`,
      '  encrypted again: 2 of 2 secrets',
      '  key 1 decrypts 2',
      '  key 2 decrypts 0',
      '  no secret needs key 2: remove it from EMAIL_SERVICE_ENCRYPTION_KEY, but keep it for older backups',
      '',
    ].join('\n'),
  );
  expect(progress).toContain('SENDOFF_SECRET_KEY: 1 secret read, 1 encrypted again');
  expect(code).toBe(0);
});

test('exits 1 while no key decrypts a secret, and says which and what to do', async () => {
  await put(randomBytes(32), 'onboarding/lost/api-key');
  const { code, text } = await run({ only: 'orchestrator' });
  expect(text).toContain(
    'no key decrypts secrets of tenants (1): add the key that encrypted them to SENDOFF_SECRET_KEY, and run this again',
  );
  expect(text).not.toContain('EMAIL_SERVICE');
  expect(code).toBe(1);
});

test('reports as JSON', async () => {
  await put(current, 'onboarding/acme/api-key');
  const { text } = await run({ json: true, only: 'orchestrator' });
  expect(JSON.parse(text)).toEqual({
    complete: true,
    databases: [
      {
        program: 'orchestrator',
        url,
        setting: 'SENDOFF_SECRET_KEY',
        resealed: 0,
        total: 1,
        openedBy: [1, 0],
        unopened: {},
        openLinks: [0, 0],
        removableKeys: [2],
      },
    ],
  });
});

test('keeps a key for the open setup links that it signed, until they are closed or revoked', async () => {
  const register = createSqlRegister(database, { notify: false, onNotification: () => undefined });
  const signedBy = (key: Buffer) => createSqlSetupLinks(database, [key]);
  for (const tenantId of ['acme', 'beta', 'gamma', 'delta']) {
    await beginOnboarding(register, tenantId);
    await signedBy(tenantId === 'delta' ? current : old).create(tenantId);
  }
  const endedAt = (tenantId: string, ended_at: string) =>
    database.updateTable('onboardings').set({ ended_at }).where('tenant_id', '=', tenantId).execute();
  const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
  await endedAt('beta', daysAgo(6));
  await endedAt('gamma', daysAgo(8));
  const { text, code } = await run({ only: 'orchestrator' });
  expect(text).toContain(
    'key 2 is still needed: 2 setup links that it signed open until 7 days after the end of their onboardings; keep it until then, or revoke them and send new ones',
  );
  expect(text).not.toContain('remove it');
  expect(code).toBe(0);

  await endedAt('beta', daysAgo(8));
  await signedBy(old).revoke('acme');
  const { text: json } = await run({ json: true, only: 'orchestrator' });
  expect(JSON.parse(json)).toMatchObject({ databases: [{ openLinks: [1, 0], removableKeys: [2] }] });
});

test('changes nothing if a setting of either program is invalid', async () => {
  await put(old, 'onboarding/acme/api-key');
  await expect(run({}, { EMAIL_SERVICE_ENCRYPTION_KEY: 'short' })).rejects.toThrow('EMAIL_SERVICE_ENCRYPTION_KEY');
  const { text } = await run({ json: true, only: 'orchestrator' });
  expect(JSON.parse(text)).toMatchObject({ databases: [{ resealed: 1 }] });
});

onSqlite(() => {
  test('names the database that it cannot write', async () => {
    await put(old, 'onboarding/acme/api-key');
    const unlock = holdWriteLock(url.replace('file:', ''));
    try {
      await expect(run({ only: 'orchestrator' })).rejects.toThrow(
        `SENDOFF_DATABASE_URL is ${url}, which cannot be used: another program holds the lock`,
      );
    } finally {
      unlock();
    }
  });
});

import type { Database } from './database.ts';
import { requireMatchingKey } from '../lib/require-matching-key.ts';
import { createSealer, type Sealer } from '../lib/sealing.ts';
import { shownDatabaseUrl } from '../lib/database-url.ts';
import { sealedSecrets } from './sealed-secrets.ts';

/** Throws SettingsError if the configured keys decrypt none of the secrets in the database. */
export async function matchingSealer(
  { secretKeys, databaseUrl }: { secretKeys: readonly Buffer[]; databaseUrl: string },
  database: Database,
): Promise<Sealer> {
  const sealer = createSealer(secretKeys);
  await requireMatchingKey(sealer, sealedSecrets(database), {
    key: 'SENDOFF_SECRET_KEY',
    database: 'SENDOFF_DATABASE_URL',
    databaseUrl: shownDatabaseUrl(databaseUrl),
  });
  return sealer;
}

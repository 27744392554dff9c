import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '../../src/store/database.ts';
import type { Register } from '../../src/store/onboarding/register.ts';
import { createSqlRegister } from '../../src/store/onboarding/sql-register.ts';
import { createSealer, type Sealer } from '../../src/lib/sealing.ts';
import { type ProviderIntents, createSqlProviderIntents } from '../../src/store/onboarding/provider-intents.ts';
import { createSqlWatchedDomains, type WatchedDomains } from '../../src/store/upkeep/sql-watched-domains.ts';
import { createSqlApiKeyClaims, type ApiKeyClaims } from '../../src/store/onboarding/sql-api-key-claims.ts';
import { testDatabase } from './test-database.ts';

export interface TestRegister {
  readonly register: Register;
  readonly claims: ApiKeyClaims;
  readonly intents: ProviderIntents;
  readonly watchedDomains: WatchedDomains;
  readonly sealer: Sealer;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly end: () => Promise<void>;
}

/** The register in its own database, with notifications. */
export async function openTestRegister(): Promise<TestRegister> {
  const { url, end } = await testDatabase('orchestrator');
  const database = await openDatabase(url);
  const sealer = createSealer([randomBytes(32)]);
  const register = createSqlRegister(database, { notify: true, sealer });
  return {
    register,
    claims: createSqlApiKeyClaims(database, sealer),
    intents: createSqlProviderIntents(database),
    watchedDomains: createSqlWatchedDomains(database, register),
    sealer,
    database,
    databaseUrl: url,
    async end() {
      await database.destroy();
      await end();
    },
  };
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../src/store/database.ts';

/** Databases of the orchestrator in files of one folder, each with a name. */
export function databaseFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'sendoff-databases-'));
  const pathOf = (name: string): string => join(folder, `${name}.db`);
  const urlOf = (name: string): string => `file:${pathOf(name)}`;
  return {
    ...{ pathOf, urlOf },
    withDatabase: async <T>(name: string, use: (database: Database) => Promise<T>): Promise<T> => {
      const database = await openDatabase(urlOf(name));
      try {
        return await use(database);
      } finally {
        await database.destroy();
      }
    },
    remove: (): void => {
      rmSync(folder, { recursive: true });
    },
  };
}

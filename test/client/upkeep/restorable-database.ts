import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { databaseAt } from '../../../src/cli/databases/program-databases.ts';
import { databaseOptions } from '../../../src/store/database.ts';
import { startPostgres } from '../../support/postgres/postgres-cluster.ts';

/** The orchestrator's database, with the backup and restore that operators use. */
export interface RestorableDatabase {
  readonly url: string;
  readonly rows: (query: string) => Promise<readonly Record<string, unknown>[]>;
  /** While programs use it. */
  readonly backUp: () => Promise<void>;
  /** While none does. */
  readonly restore: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export function restorableSqlite(file: string): RestorableDatabase {
  const backup = `${file}.backup`;
  const onDatabase = <T>(use: (database: DatabaseSyncInstance) => T): Promise<T> => {
    const database = new DatabaseSync(file);
    try {
      return Promise.resolve(use(database));
    } finally {
      database.close();
    }
  };
  return {
    url: `file:${file}`,
    rows: (query) => onDatabase((database) => database.prepare(query).all() as Record<string, unknown>[]),
    backUp: () =>
      onDatabase((database) => {
        database.exec(`vacuum into '${backup}'`);
      }),
    restore() {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
      copyFileSync(backup, file);
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
  };
}

/** A server of its own. @param backup a file that `pg_dump` writes */
export async function restorablePostgres({
  binaries,
  backup,
}: {
  readonly binaries: string;
  readonly backup: string;
}): Promise<RestorableDatabase> {
  const server = await startPostgres({ binaries });
  const url = `${server.url}/sendoff`;
  const query = async (database: string, text: string): Promise<Record<string, unknown>[]> => {
    const client = new Client({ connectionString: database, options: `-c search_path=${databaseOptions.schema}` });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  };
  const create = () => query(`${server.url}/postgres`, 'create database sendoff');
  await create();
  await databaseAt('orchestrator', url, {}).migrate();
  return {
    url,
    rows: (text) => query(url, text),
    backUp() {
      execFileSync(join(binaries, 'pg_dump'), ['--format=custom', `--file=${backup}`, url]);
      return Promise.resolve();
    },
    async restore() {
      await query(`${server.url}/postgres`, 'drop database sendoff');
      await create();
      execFileSync(join(binaries, 'pg_restore'), ['--exit-on-error', `--dbname=${url}`, backup]);
    },
    stop: () => server.stop(),
  };
}

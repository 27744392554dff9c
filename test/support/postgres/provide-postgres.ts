// vitest's globalSetup of the project `postgres`: a server with a migrated database of each program, which tests copy.
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { databaseAt, programNames } from '../../../src/cli/databases/program-databases.ts';
import { findPostgres, startPostgres } from './postgres-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined where tests use SQLite. */
    readonly postgresUrl: string | undefined;
  }
}

export const templates = { orchestrator: 'sendoff_test_orchestrator', 'email-service': 'sendoff_test_email_service' };

export default async function providePostgres(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['SENDOFF_TEST_POSTGRES_URL'];
  const cluster = given === undefined ? await startPostgres({ binaries: binaries() }) : undefined;
  const url = (given ?? cluster?.url ?? '').replace(/\/+$/, '');
  const stop = async (): Promise<void> => cluster?.stop();
  try {
    await makeTemplates(url);
  } catch (error) {
    await stop();
    throw error;
  }
  project.provide('postgresUrl', url);
  return async () => {
    await asAdministrator(
      url,
      Object.values(templates).map((name) => `drop database ${name}`),
    );
    await stop();
  };
}

/** For `testDatabase`. @param url of a server, without a database */
export async function makeTemplates(url: string): Promise<void> {
  for (const program of programNames) {
    const template = templates[program];
    await asAdministrator(url, [`drop database if exists ${template}`, `create database ${template}`]);
    await databaseAt(program, `${url}/${template}`, {}).migrate();
  }
}

function binaries(): string {
  const found = findPostgres();
  if (found !== undefined) return found;
  throw new Error(
    'PostgreSQL is not installed: apt-get install postgresql, or set SENDOFF_TEST_POSTGRES_URL to a server whose user may create databases, such as postgres://postgres@127.0.0.1:5432',
  );
}

/** @param url without a database */
export async function asAdministrator(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: `${url}/postgres` });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

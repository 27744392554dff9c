// vitest's globalSetup of the project `postgres`: a server with a migrated database of each program, which tests copy.
import type { TestProject } from 'vitest/node';
import { databaseAt, programNames } from '../../../src/cli/databases/program-databases.ts';
import { asAdministrator, findPostgres, startPostgres } from './postgres-cluster.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined where tests use SQLite. */
    readonly postgresUrl: string | undefined;
  }
}

/** How the names of all databases of a run begin. */
export const TEST_DATABASES = 'sendoff_test_';
export const templates = {
  orchestrator: `${TEST_DATABASES}orchestrator`,
  'email-service': `${TEST_DATABASES}email_service`,
};

export default async function providePostgres(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['SENDOFF_TEST_POSTGRES_URL'];
  const cluster = given === undefined ? await startPostgres({ binaries: binaries() }) : undefined;
  const url = (given ?? cluster?.url ?? '').replace(/\/+$/, '');
  try {
    await makeTemplates(url);
  } catch (error) {
    await cluster?.stop();
    throw error;
  }
  project.provide('postgresUrl', url);
  return async () => {
    // Its databases go with it.
    if (cluster !== undefined) await cluster.stop();
    else await dropTestDatabases(url);
  };
}

async function dropTestDatabases(url: string): Promise<void> {
  const rows = await asAdministrator(url, [
    `select datname from pg_database where starts_with(datname, '${TEST_DATABASES}')`,
  ]);
  await asAdministrator(
    url,
    rows.map(({ datname }) => `drop database ${String(datname)}`),
  );
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

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { waitUntil } from '../../src/lib/timing/wait-until.ts';
import { type ClusterOptions, type PostgresCluster, startPostgres } from '../support/postgres/postgres-cluster.ts';
import type { Killable } from './killable.ts';

export interface SupervisedPostgres extends Killable {
  /** Of a superuser, without a database; the same after every start. */
  readonly url: string;
  readonly backend: Killable;
  /** Runs one statement as superuser, outside a transaction. */
  execute(statement: string): Promise<void>;
}

/** PostgreSQL refuses to start until the last process of the killed server has ended. */
const STARTED_WITHIN_MS = 60_000;

/** A new PostgreSQL server, and another one on the same data whenever it was killed. Its data is removed at the end. */
export async function supervisePostgres(
  given: Omit<ClusterOptions, 'folder'> & { readonly port: number },
): Promise<SupervisedPostgres> {
  // Not in the data folder, which only this user may enter: as root, PostgreSQL runs as another one.
  const folder = mkdtempSync(join(tmpdir(), 'sendoff-postgres-'));
  const options = { ...given, folder };
  let server: Promise<PostgresCluster> = startPostgres(options);
  let stopping: Promise<void> | undefined;
  const { url } = await server;

  return {
    url,
    ownEnds: [],
    async kill() {
      const killed = await server;
      process.kill(killed.pid, 'SIGKILL');
      await killed.stop();
      if (stopping !== undefined) return;
      server = startAgain(options);
      // The next kill or stop reports a failed start.
      server.catch(() => undefined);
    },
    stop: () =>
      (stopping ??= server
        .then(
          (alive) => alive.stop(),
          () => undefined,
        )
        .finally(() => {
          rmSync(folder, { recursive: true, force: true });
        })),
    backend: { ownEnds: [], kill: () => killBackend(url), stop: () => Promise.resolve() },
    execute: async (statement) => {
      await query(url, statement);
    },
  };
}

async function startAgain(options: ClusterOptions): Promise<PostgresCluster> {
  let started: PostgresCluster | undefined;
  let failure: unknown;
  await waitUntil(
    async () => {
      started = await startPostgres(options).catch((error: unknown) => {
        failure = error;
        return undefined;
      });
      return started !== undefined;
    },
    { timeoutMs: STARTED_WITHIN_MS },
  );
  if (started === undefined) throw failure;
  return started;
}

/** PostgreSQL then ends all connections, because the killed process may have damaged the shared memory. */
async function killBackend(url: string): Promise<void> {
  let pid: number | undefined;
  await waitUntil(
    async () => {
      pid = await someBackend(url).catch(() => undefined);
      return pid !== undefined;
    },
    { timeoutMs: STARTED_WITHIN_MS },
  );
  if (pid === undefined) throw new Error(`PostgreSQL at ${url} serves no connection of a program`);
  process.kill(pid, 'SIGKILL');
}

/** The process id of any connection of a program; one in a query if there is one. */
async function someBackend(url: string): Promise<number | undefined> {
  const [row] = await query<{ readonly pid: number }>(
    url,
    `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
     order by state = 'active' desc, random() limit 1`,
  );
  return row?.pid;
}

async function query<Row extends object>(url: string, statement: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: `${url}/postgres` });
  // A connection may break while nothing waits for it, which would end this process without a listener.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

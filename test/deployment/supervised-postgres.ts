import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../../src/lib/timing/wait-until.ts';
import {
  asAdministrator,
  type ClusterOptions,
  type PostgresCluster,
  startPostgres,
} from '../support/postgres/postgres-cluster.ts';
import type { Killable } from './killable.ts';
import { replacedServer } from './replaced-server.ts';

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
  const first = await startPostgres(options);
  const { url } = first;
  const { kill, stop } = replacedServer(first, {
    kill: ({ pid }) => process.kill(pid, 'SIGKILL'),
    again: () => startAgain(options),
  });
  return {
    ...{ url, kill, ownEnds: [] },
    stop: () =>
      stop().finally(() => {
        rmSync(folder, { recursive: true, force: true });
      }),
    backend: { ownEnds: [], kill: () => killBackend(url), stop: () => Promise.resolve() },
    execute: async (statement) => {
      await asAdministrator(url, [statement]);
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
  const [row] = await asAdministrator(url, [
    `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
     order by state = 'active' desc, random() limit 1`,
  ]);
  return row && Number(row['pid']);
}

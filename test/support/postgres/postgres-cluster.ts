// A PostgreSQL server for one run, in a temporary folder.
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../../../src/dev/temporal/free-port.ts';
import { spawnTied } from '../../../src/dev/temporal/spawn-tied.ts';

const DEBIAN = '/usr/lib/postgresql';
const STARTED_WITHIN_MS = 60_000;

export interface PostgresCluster {
  /** Of a superuser, without a database: `postgres://postgres@127.0.0.1:PORT`. */
  readonly url: string;
  readonly pid: number;
  /** From the next connection on. */
  replaceCertificate(files: Certificate): Promise<void>;
  /** Ends it as a power cut would not: connections are closed, and everything is written. */
  stop(): Promise<void>;
}

/** The folder of `initdb` and `postgres`; undefined where PostgreSQL is not installed. Debian keeps them off the PATH. */
export function findPostgres(path = process.env['PATH'] ?? ''): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = [...versions.map((version) => join(DEBIAN, version, 'bin')), ...path.split(delimiter)];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

export interface ClusterOptions {
  /** Of `findPostgres`. */
  readonly binaries: string;
  /** An existing cluster's, to start it again. @default a new one in a temporary folder, which `stop` removes */
  readonly folder?: string;
  /** @default a free one */
  readonly port?: number;
  /** Whether a commit survives a power cut. @default false */
  readonly durable?: boolean;
  /** @default 300 */
  readonly connectionsMax?: number;
  /** PEM files, which are copied: other users than `postgres` then need encryption and a password. @default neither */
  readonly tls?: Certificate;
}

/** PEM files. */
interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** It never outlives this process. */
export async function startPostgres(options: ClusterOptions): Promise<PostgresCluster> {
  const { binaries, port = await freePort(), durable = false, connectionsMax = 300, tls } = options;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'sendoff-postgres-'));
  const as = unprivilegedUser();
  if (as !== undefined) chownSync(folder, as.uid, as.gid);
  const data = join(folder, 'data');
  if (!existsSync(data)) {
    const arguments_ = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    execFileSync(join(binaries, 'initdb'), arguments_, { ...as, cwd: folder, stdio: 'pipe' });
  }
  if (tls !== undefined) {
    copyCertificate(data, tls, as);
    requireTls(data);
  }
  const settings = {
    ...(tls === undefined ? {} : { ssl: 'on' }),
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: folder,
    max_connections: connectionsMax,
    shared_buffers: '64MB',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawnTied({
    ...{ executable: join(binaries, 'postgres'), args: ['-D', data, ...flags], folder, user: as },
  });
  let log = '';
  server.stderr.on('data', (text: Buffer) => (log = (log + text.toString()).slice(-4_000)));
  server.stdout.resume();
  const ended = once(server, 'exit');
  const url = `postgres://postgres@127.0.0.1:${String(port)}`;
  const deadline = Date.now() + STARTED_WITHIN_MS;
  while (!(await answers(url))) {
    if (server.exitCode !== null || Date.now() > deadline) {
      server.kill('SIGKILL');
      throw new Error(`PostgreSQL did not start:\n${log}`);
    }
    await sleep(50);
  }
  return {
    url,
    pid: server.pid ?? 0,
    async replaceCertificate(files) {
      copyCertificate(data, files, as);
      await asAdministrator(url, ['select pg_reload_conf()']);
    },
    async stop() {
      server.kill('SIGINT');
      await ended;
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function requireTls(data: string): void {
  const rules = ['host all postgres 127.0.0.1/32 trust', 'hostssl all all 127.0.0.1/32 scram-sha-256'];
  writeFileSync(join(data, 'pg_hba.conf'), `${rules.join('\n')}\n`);
}

function copyCertificate(
  data: string,
  { certificate, key }: Certificate,
  as: ReturnType<typeof unprivilegedUser>,
): void {
  for (const [from, to] of Object.entries({ [certificate]: 'server.crt', [key]: 'server.key' })) {
    writeFileSync(join(data, to), readFileSync(from), { mode: 0o600 });
    if (as !== undefined) chownSync(join(data, to), as.uid, as.gid);
  }
}

const answers = (url: string): Promise<boolean> =>
  asAdministrator(url, []).then(
    () => true,
    () => false,
  );

/** Each statement outside a transaction. @param url without a database @returns the rows of the last one */
export async function asAdministrator(
  url: string,
  statements: readonly string[],
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: `${url}/postgres` });
  // A server that is starting or killed may close the connection while nothing waits for it, which would end this process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
    return rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** PostgreSQL refuses to run as root. */
export function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // The next one may exist.
    }
  }
  return undefined;
}

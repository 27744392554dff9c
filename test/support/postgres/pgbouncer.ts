import { existsSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort, portAnswers } from '../../../src/dev/temporal/free-port.ts';
import { spawnTied } from '../../../src/dev/temporal/spawn-tied.ts';
import { waitUntil } from '../../../src/lib/timing/wait-until.ts';
import { unprivilegedUser } from './postgres-cluster.ts';

const STARTED_WITHIN_MS = 30_000;

/** The path of PgBouncer; undefined where it is not installed. Debian keeps it off the PATH of users. */
export const findPgBouncer = (path = process.env['PATH'] ?? ''): string | undefined =>
  [...path.split(delimiter), '/usr/sbin'].map((folder) => join(folder, 'pgbouncer')).find(existsSync);

export interface PgBouncer {
  /** `127.0.0.1:PORT` */
  readonly address: string;
  stop(): Promise<void>;
}

/** PgBouncer with its defaults, in front of every database of a server that trusts `postgres`. */
export async function startPgBouncer(options: {
  readonly executable: string;
  /** `HOST:PORT` */
  readonly target: string;
  readonly poolMode: 'session' | 'transaction';
}): Promise<PgBouncer> {
  const [host = '', targetPort = ''] = options.target.split(':');
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'sendoff-pgbouncer-'));
  const user = unprivilegedUser();
  const file = join(folder, 'pgbouncer.ini');
  const lines = [
    ...['[databases]', `* = host=${host} port=${targetPort} user=postgres`],
    ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${String(port)}`, 'unix_socket_dir ='],
    ...['auth_type = any', `pool_mode = ${options.poolMode}`],
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  if (user !== undefined) for (const path of [folder, file]) chownSync(path, user.uid, user.gid);
  const pooler = spawnTied({ executable: options.executable, args: [file], folder, user });
  let log = '';
  for (const stream of [pooler.stderr, pooler.stdout]) {
    stream.on('data', (text: Buffer) => (log = (log + text.toString()).slice(-4_000)));
  }
  const ended = once(pooler, 'exit');
  const stop = async (): Promise<void> => {
    pooler.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const address = `127.0.0.1:${String(port)}`;
  const isOver = async (): Promise<boolean> => pooler.exitCode !== null || (await portAnswers(port));
  await waitUntil(isOver, { timeoutMs: STARTED_WITHIN_MS, intervalMs: 50 });
  if (pooler.exitCode === null && (await portAnswers(port))) return { address, stop };
  await stop();
  throw new Error(`PgBouncer did not start:\n${log}`);
}

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** The program ends when its standard input, the tie, is closed. */
export type TiedProcess = ChildProcessByStdio<Writable, Readable, Readable>;

// The shell becomes the program by exec, so both have the same process id. A loop in the background reads the tie, which the
// system closes when our process ends, even after SIGKILL. The loop then ends the process group, with SIGKILL after 8 s.
// It reads descriptor 3, because a shell gives background commands no standard input.
const TIED = `
exec 3<&0
(
  trap '' TERM
  while read -r _; do :; done
  kill -0 $$ || exit
  kill -s TERM -- -$$
  for _ in 1 2 3 4 5 6 7 8; do
    sleep 1
    kill -0 $$ || exit
  done
  kill -s KILL -- -$$
) <&3 >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-
`;

export interface SpawnTiedOptions {
  readonly executable: string;
  readonly args: readonly string[];
  /** @default our working folder */
  readonly folder?: string;
  /** Replaces the environment. @default ours */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Runs it as another user of the system, which only root may. @default ours */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
}

/** Starts a program in a new process group. It never outlives this process; on Windows it does if this process is killed. */
export function spawnTied({ executable, args, folder, environment, user }: SpawnTiedOptions): TiedProcess {
  if (process.platform === 'win32') {
    const child = spawn(executable, args, { cwd: folder, env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
    const stop = (): void => void child.kill();
    process.once('exit', stop);
    child.once('exit', () => process.off('exit', stop));
    return child;
  }
  const child = spawn('/bin/sh', ['-c', TIED, 'sh', executable, ...args], {
    ...user,
    cwd: folder,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C must not reach it: we end the program after what uses it.
    detached: true,
  });
  // A closed pipe may report an error, which would crash this process without a listener.
  child.stdin.on('error', () => undefined);
  child.once('exit', () => child.stdin.destroy());
  return child;
}

/** Kills the program and its children. */
export function killTied(child: TiedProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (process.platform === 'win32') {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

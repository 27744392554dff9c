import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** Its standard input is the tie: when it closes, the program is ended. */
export type TiedProcess = ChildProcessByStdio<Writable, Readable, Readable>;

// The shell becomes the program by exec, so its process id is the program's. The loop beside it reads the tie: the
// system closes it when our process ends, however it ends, SIGKILL included. The loop then ends the process group, that is
// the program and what it has started itself; whatever ignores SIGTERM is killed.
// Descriptor 3 carries the tie into the loop, because a shell gives what it starts with & no standard input.
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
  /** @default our own working folder */
  readonly folder?: string;
}

/**
 * Starts a program, in a process group of its own, that never outlives this process. On Windows, which has no POSIX shell,
 * it does when this process is killed rather than ended.
 */
export function spawnTied({ executable, args, folder }: SpawnTiedOptions): TiedProcess {
  if (process.platform === 'win32') {
    const child = spawn(executable, args, { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
    const stop = (): void => void child.kill();
    process.once('exit', stop);
    child.once('exit', () => process.off('exit', stop));
    return child;
  }
  const child = spawn('/bin/sh', ['-c', TIED, 'sh', executable, ...args], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    // Out of the terminal's process group: Ctrl-C is for us, and we end the program when what needs it has ended.
    detached: true,
  });
  // Nothing is ever written, but a closed pipe may still report an error, and an unheard one would end this process.
  child.stdin.on('error', () => undefined);
  child.once('exit', () => child.stdin.destroy());
  return child;
}

/** Ends the program and everything it has started, at once. */
export function killTied(child: TiedProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (process.platform === 'win32') {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
  }
}

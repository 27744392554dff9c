import { once } from 'node:events';
import { request } from 'undici';
import { keepLastLines } from '../src/dev/temporal/last-lines.ts';
import { killTied, spawnTied } from '../src/dev/temporal/spawn-tied.ts';
import { waitUntil } from '../src/lib/timing/wait-until.ts';
import { openLog } from '../test/deployment/open-log.ts';
import { bareEnvironment } from '../test/deployment/supervised-process.ts';
import type { MeasuredProcess } from './process-usage.ts';
import type { Bench } from './scenario.ts';

export interface RunningProcess extends MeasuredProcess {
  /** SIGKILL. Resolves when it is dead; does nothing the second time. */
  kill(): Promise<void>;
}

export interface StartProcessOptions {
  /** Of its log file, too. */
  readonly name: string;
  /** Of node. */
  readonly args: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  /** Where `GET /readyz` answers 200 when it can be measured. */
  readonly url: string;
}

const READY_WITHIN_MS = 120_000;
const LAST_LINES_MAX = 10;

/** Starts a Node program as a process of its own, which never outlives this one. Resolves when it is ready. */
export async function startProcess(
  { name, args, settings, url }: StartProcessOptions,
  { inside, closers, signal }: Bench,
): Promise<RunningProcess> {
  signal.throwIfAborted();
  const log = openLog(inside(`${name}.log`));
  closers.add(() => log.stop());
  const child = spawnTied({ executable: process.execPath, args, environment: { ...bareEnvironment(), ...settings } });
  const lines = keepLastLines(child, LAST_LINES_MAX, log.write);
  const ended = once(child, 'exit');
  const kill = async (): Promise<void> => {
    killTied(child);
    await ended;
  };
  closers.add(kill);
  const isReady = async (): Promise<boolean> => {
    signal.throwIfAborted();
    if (child.exitCode !== null) throw new Error(`${name} ended:\n${(await lines.read()).join('\n')}`);
    const answer = await request(`${url}/readyz`).catch(() => undefined);
    await answer?.body.dump();
    return answer?.statusCode === 200;
  };
  if (!(await waitUntil(isReady, { timeoutMs: READY_WITHIN_MS, intervalMs: 50 }))) {
    throw new Error(`${name} was not ready within ${READY_WITHIN_MS / 1_000} s:\n${(await lines.read()).join('\n')}`);
  }
  return { name, pid: child.pid ?? 0, kill };
}

import { once } from 'node:events';
import { keepLastLines } from '../../src/dev/temporal/last-lines.ts';
import { killTied, spawnTied, type SpawnTiedOptions, type TiedProcess } from '../../src/dev/temporal/spawn-tied.ts';
import { waitUntil } from '../../src/lib/timing/wait-until.ts';
import type { OwnEnd, Restartable } from './killable.ts';

export interface SupervisedProcessOptions extends SpawnTiedOptions {
  /** For errors. */
  readonly name: string;
  /** Takes each line that it prints. */
  readonly log: (line: string) => void;
}

/** As supervisors do, so that a program that cannot start does not eat the processor. */
const RESTART_PAUSE_MS = 300;
/** Between two lives there are the pause and the start of a process. */
const ALIVE_WITHIN_MS = 10_000;
/** Longer than the longest grace period of the programs. */
const ENDED_WITHIN_MS = 40_000;
const LAST_LINES_MAX = 8;

/** Runs a program, and starts it again whenever it has ended. */
export function superviseProcess({ name, log, ...program }: SupervisedProcessOptions): Restartable {
  const ownEnds: OwnEnd[] = [];
  let alive: TiedProcess | undefined;
  let killed: TiedProcess | undefined;
  let asked: TiedProcess | undefined;
  const over = new AbortController();
  let { environment = process.env } = program;

  async function live(): Promise<void> {
    const child = spawnTied({ ...program, environment });
    const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
    const lines = keepLastLines(child, LAST_LINES_MAX, log);
    alive = child;
    const [code, signal] = await ended;
    alive = undefined;
    if (child === killed || over.signal.aborted || (child === asked && code === 0)) return;
    const how = signal ?? `exit code ${String(code)}`;
    ownEnds.push({ at: new Date().toISOString(), words: [how, ...(await lines.read())].join('\n') });
  }

  const lives = (async () => {
    while (!over.signal.aborted) {
      await live();
      await waitUntil(() => over.signal.aborted, { timeoutMs: RESTART_PAUSE_MS, intervalMs: RESTART_PAUSE_MS });
    }
  })();

  async function present(): Promise<TiedProcess> {
    await waitUntil(() => alive !== undefined, { timeoutMs: ALIVE_WITHIN_MS, intervalMs: 20 });
    if (alive === undefined) throw new Error(`${name} was not started again`);
    return alive;
  }

  return {
    ownEnds,
    pid: () => alive?.pid ?? 0,
    async kill() {
      const child = await present();
      killed = child;
      killTied(child);
      await waitUntil(() => alive !== child, { timeoutMs: ALIVE_WITHIN_MS, intervalMs: 5 });
    },
    async restart(changes) {
      const child = await present();
      if (changes !== undefined) environment = { ...environment, ...changes };
      asked = child;
      child.kill('SIGTERM');
      if (await waitUntil(() => alive !== child, { timeoutMs: ENDED_WITHIN_MS, intervalMs: 20 })) return;
      throw new Error(`${name} has not ended ${ENDED_WITHIN_MS / 1_000} s after SIGTERM`);
    },
    async stop() {
      over.abort();
      if (alive !== undefined) killTied(alive);
      await lives;
    },
  };
}

/** What a program needs of ours. Nothing else reaches it, TEMPORAL_ADDRESS of the person at the terminal least of all. */
export const bareEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

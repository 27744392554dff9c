import { once } from 'node:events';
import { keepLastLines } from '../../src/dev/temporal/last-lines.ts';
import { killTied, spawnTied, type TiedProcess } from '../../src/dev/temporal/spawn-tied.ts';
import { waitUntil } from '../../src/lib/wait-until.ts';
import type { Killable, OwnEnd } from './killable.ts';

export interface SupervisedProgramOptions {
  /** The compiled command, `bin/sendoff.js`. */
  readonly command: string;
  readonly subcommand: 'worker' | 'server' | 'email-service';
  /** Its working folder, with its settings in `.env`. */
  readonly folder: string;
  /** Takes each line that it prints. */
  readonly log: (line: string) => void;
}

/** As supervisors do, so that a program that cannot start does not eat the processor. */
const RESTART_PAUSE_MS = 300;
/** Between two lives there are the pause and the start of a process. */
const ALIVE_WITHIN_MS = 10_000;
const LAST_LINES_MAX = 8;

/** Runs one of the programs as a process of its own, and starts it again whenever it has ended. */
export function superviseProgram({ command, subcommand, folder, log }: SupervisedProgramOptions): Killable {
  const ownEnds: OwnEnd[] = [];
  let alive: TiedProcess | undefined;
  let killed: TiedProcess | undefined;
  const over = new AbortController();

  async function live(): Promise<void> {
    const child = spawnTied({ executable: '/usr/bin/env', args: bareEnvironment(command, subcommand), folder });
    const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
    const lines = keepLastLines(child, LAST_LINES_MAX, log);
    alive = child;
    const [code, signal] = await ended;
    alive = undefined;
    if (child === killed || over.signal.aborted) return;
    const how = signal ?? `exit code ${String(code)}`;
    ownEnds.push({ at: new Date().toISOString(), words: [how, ...(await lines.read())].join('\n') });
  }

  const lives = (async () => {
    while (!over.signal.aborted) {
      await live();
      await waitUntil(() => over.signal.aborted, { timeoutMs: RESTART_PAUSE_MS, intervalMs: RESTART_PAUSE_MS });
    }
  })();

  return {
    ownEnds,
    async kill() {
      await waitUntil(() => alive !== undefined, { timeoutMs: ALIVE_WITHIN_MS, intervalMs: 20 });
      const child = alive;
      if (child === undefined) throw new Error(`sendoff ${subcommand} was not started again`);
      killed = child;
      killTied(child);
      await waitUntil(() => alive !== child, { timeoutMs: ALIVE_WITHIN_MS, intervalMs: 5 });
    },
    async stop() {
      over.abort();
      if (alive !== undefined) killTied(alive);
      await lives;
    },
  };
}

/** Nothing of ours reaches the program, TEMPORAL_ADDRESS of the person at the terminal least of all: .env says it all. */
function bareEnvironment(command: string, subcommand: string): string[] {
  const kept = ['PATH', 'HOME', 'TMPDIR'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [`${name}=${value}`];
  });
  return ['-i', ...kept, process.execPath, command, subcommand];
}

import { keepLastLines } from './last-lines.ts';
import { killTied, spawnTied, type TiedProcess } from './spawn-tied.ts';

const LAST_LINES_MAX = 15;
const CHECK_INTERVAL_MS = 250;
/** Often enough to show progress, seldom enough for a log file. */
const REPORT_INTERVAL_MS = 5_000;

/** Takes one line, without a line feed, about what is being done now. */
export type ReportLine = (line: string) => void;

export interface CommandOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Working folder of the command. */
  readonly folder: string;
  /** The start of each progress line: "Compiling the Temporal CLI". */
  readonly title: string;
  readonly report: ReportLine;
  /** A number that grows while the command makes progress; read four times a second. */
  progress(linesSeen: number): number | Promise<number>;
  /** The progress as text: "312 packages"; undefined if there is none yet. */
  describe(progress: number): string | undefined;
  /** Limit without progress, after which the command is stopped: `start` before the first progress, `later` after it. */
  readonly stalledAfterMs: { readonly start: number; readonly later: number };
  /** Kills the command. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a command that may take minutes, reports its progress, and stops it if it stalls. Throws with the last lines of
 * its output if it cannot be started, fails or stalls; throws the signal's reason after an abort.
 */
export async function runCommand(options: CommandOptions): Promise<void> {
  const startedAt = performance.now();
  const { command, args, folder, signal } = options;
  signal?.throwIfAborted();
  const child = spawnTied({ executable: command, args, folder });
  const kill = (): void => {
    killTied(child);
  };
  signal?.addEventListener('abort', kill);
  let lines = 0;
  const output = keepLastLines(child, LAST_LINES_MAX, () => (lines += 1));
  const watch = watchProgress(options, () => lines, startedAt, kill);
  try {
    const ended = await endOf(child);
    signal?.throwIfAborted();
    const stalledMs = watch.stalledMs();
    if (stalledMs === undefined && ended === 'exit code 0') return;
    const reason =
      stalledMs === undefined
        ? `\`${command}\` ended with ${ended}`
        : `stopped after ${seconds(stalledMs)} without progress`;
    throw new Error(`${reason}${lastLines(await output.read())}`);
  } finally {
    signal?.removeEventListener('abort', kill);
    watch.end();
  }
}

interface Watch {
  /** The time without progress, if the command was stopped for that. */
  stalledMs(): number | undefined;
  end(): void;
}

function watchProgress(options: CommandOptions, counted: () => number, startedAt: number, stop: () => void): Watch {
  let progress = 0;
  let grownAt = startedAt;
  let reportedAt = startedAt;
  let stalledMs: number | undefined;
  const check = async (): Promise<void> => {
    const now = performance.now();
    const reached = await options.progress(counted());
    if (reached > progress) {
      progress = reached;
      grownAt = now;
    }
    if (now - reportedAt >= REPORT_INTERVAL_MS) {
      reportedAt = now;
      const words = options.describe(progress);
      options.report(`${options.title}: ${seconds(now - startedAt)}${words === undefined ? '' : `, ${words}`}`);
    }
    const limitMs = progress > 0 ? options.stalledAfterMs.later : options.stalledAfterMs.start;
    if (now - grownAt > limitMs && stalledMs === undefined) {
      stalledMs = now - grownAt;
      stop();
    }
  };
  let checking = false;
  const timer = setInterval(() => {
    if (checking) return;
    checking = true;
    // A failed check is repeated; the limit above still applies.
    void check()
      .catch(() => undefined)
      .finally(() => (checking = false));
  }, CHECK_INTERVAL_MS);
  return {
    stalledMs: () => stalledMs,
    end: () => {
      clearInterval(timer);
    },
  };
}

async function endOf(child: TiedProcess): Promise<string> {
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      resolve(code === null ? `signal ${String(signal)}` : `exit code ${String(code)}`);
    });
  });
}

function lastLines(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `; its last lines:\n${lines.map((line) => `    ${line}`).join('\n')}`;
}

function seconds(ms: number): string {
  return `${String(Math.round(ms / 1_000))} s`;
}

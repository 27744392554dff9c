import { keepLastLines } from './last-lines.ts';
import { killTied, spawnTied } from './spawn-tied.ts';
import type { TiedProcess } from './spawn-tied.ts';

const LAST_LINES_MAX = 15;
const LOOK_EVERY_MS = 250;
/** Often enough to show that it is alive, seldom enough for a log file. */
const REPORT_EVERY_MS = 5_000;

/** Takes one line, without a line feed, about what is being done now. */
export type Report = (line: string) => void;

export interface CommandOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Working folder of the command. */
  readonly folder: string;
  /** What is being done, the start of each progress line: "Compiling the Temporal CLI". */
  readonly title: string;
  readonly report: Report;
  /** A number that grows while the command makes progress; looked at four times a second. */
  progress(linesSeen: number): number | Promise<number>;
  /** The progress in words: "312 packages". Undefined: nothing to tell yet. */
  describe(progress: number): string | undefined;
  /** The command is stopped when its progress does not grow for this long: `start` before the first growth, `later` after it. */
  readonly stalledAfterMs: { readonly start: number; readonly later: number };
  /** Counts as progress. @default every line of the output does */
  counts?(line: string): boolean;
  /** Kills the command. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a command that may take minutes, tells how it gets on, and stops it when it stands still.
 * Throws with the last lines of its output when it cannot be started, fails or stands still, and the signal's reason when
 * it was killed for that.
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
  let counted = 0;
  const output = keepLastLines(child, LAST_LINES_MAX, (line) => {
    if (options.counts?.(line) ?? true) counted += 1;
  });
  const watch = watchProgress(options, () => counted, startedAt, kill);
  try {
    const ended = await endOf(child);
    signal?.throwIfAborted();
    const stalledMs = watch.stalledMs();
    if (stalledMs === undefined && ended === 'exit code 0') return;
    const reason =
      stalledMs === undefined
        ? `\`${command}\` ended with ${ended}`
        : `no progress for ${seconds(stalledMs)}, so it was stopped`;
    throw new Error(`${reason}${told(await output.read())}`);
  } finally {
    signal?.removeEventListener('abort', kill);
    watch.end();
  }
}

interface Watch {
  /** How long there was no progress when the command was stopped for it. */
  stalledMs(): number | undefined;
  end(): void;
}

function watchProgress(options: CommandOptions, counted: () => number, startedAt: number, stop: () => void): Watch {
  let progress = 0;
  let grownAt = startedAt;
  let reportedAt = startedAt;
  let stalledMs: number | undefined;
  const look = async (): Promise<void> => {
    const now = performance.now();
    const reached = await options.progress(counted());
    if (reached > progress) {
      progress = reached;
      grownAt = now;
    }
    if (now - reportedAt >= REPORT_EVERY_MS) {
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
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    // A look that fails is made again; the limit above still ends a command that stands still.
    void look()
      .catch(() => undefined)
      .finally(() => (looking = false));
  }, LOOK_EVERY_MS);
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

function told(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `; its last words:\n${lines.map((line) => `    ${line}`).join('\n')}`;
}

function seconds(ms: number): string {
  return `${String(Math.round(ms / 1_000))} s`;
}

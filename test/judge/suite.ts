import type { Tools } from './tools.ts';

/** One case as a judge and sendoff see it. They agree when both say the same words. */
export interface Verdict {
  /** Names the case within its suite; `--case` selects by it. */
  readonly case: string;
  /** The tool whose word counts, such as `OpenDKIM`. */
  readonly judge: string;
  readonly theirs: string;
  readonly ours: string;
  /** What a reader needs to understand a difference: the tool's own output, the value that was sent. */
  readonly detail?: string;
}

export interface SuiteRun {
  readonly tools: Tools;
  /** An empty folder of the suite's own; removed after the run. */
  readonly folder: string;
  /** Whether a case was asked for; a suite need not run the others. */
  readonly wants: (name: string) => boolean;
  readonly signal: AbortSignal;
}

export interface Suite {
  /** What it is called on the command line. */
  readonly name: string;
  /** One line for `--help`. */
  readonly title: string;
  /** Debian packages whose commands it runs, with the commands that show that they are installed. */
  readonly debian: Readonly<Record<string, readonly string[]>>;
  /** Whether it asks the Python judges of `judges.py`. */
  readonly python: boolean;
  run(run: SuiteRun): AsyncIterable<Verdict>;
}

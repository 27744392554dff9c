import type { Tools } from './tools.ts';

/** The verdicts of a judge and of sendoff on one case. They agree when their texts are equal. */
export interface Verdict {
  /** The name of the case within its suite; `--case` selects by it. */
  readonly case: string;
  /** The tool, such as `OpenDKIM`. */
  readonly judge: string;
  readonly theirs: string;
  readonly ours: string;
  /** What explains a difference: the tool's output, the value that was sent. */
  readonly detail?: string;
}

export interface SuiteRun {
  readonly tools: Tools;
  /** An empty folder for this suite; removed after the run. */
  readonly folder: string;
  /** Whether a case is selected; a suite need not run the others. */
  readonly wants: (name: string) => boolean;
  readonly signal: AbortSignal;
  /** Of the generated cases. */
  readonly seed: number;
  readonly count: number;
}

export interface Suite {
  /** Its name on the command line. */
  readonly name: string;
  /** One line for `--help`. */
  readonly title: string;
  /** The Debian packages that it needs, each with the commands that it runs. */
  readonly debian: Readonly<Record<string, readonly string[]>>;
  /** Whether it needs the judges of `judges.py`. */
  readonly python: boolean;
  run(run: SuiteRun): AsyncIterable<Verdict>;
}

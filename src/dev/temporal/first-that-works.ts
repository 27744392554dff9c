import type { ReportLine } from './run-command.ts';

const REASON_LENGTH_MAX = 160;

/** One way to get something. */
export interface Way<T> {
  /** For a list: "`temporal` on the PATH". */
  readonly name: string;
  /** Undefined: not available this way, for the reason in `absent`. Throws if the way failed. */
  get(): Promise<T | undefined>;
  /** Why nothing is available this way: "not found". */
  readonly absent: string;
}

export interface FirstThatWorksOptions<T> {
  /** Completes "Cannot get a …". */
  readonly wanted: string;
  readonly ways: readonly Way<T>[];
  /** The remedy: the last sentence of the error. */
  readonly advice: string;
  readonly report: ReportLine;
  /** Once aborted, no other way is tried. */
  readonly signal?: AbortSignal | undefined;
}

/** Tries the ways in order and returns the first result. Throws one error with the reason of each, or the signal's reason. */
export async function firstThatWorks<T>(options: FirstThatWorksOptions<T>): Promise<T> {
  const { wanted, ways, advice, report, signal } = options;
  const failures: string[] = [];
  for (const way of ways) {
    try {
      const got = await way.get();
      if (got !== undefined) return got;
      failures.push(`- ${way.name}: ${way.absent}`);
    } catch (error) {
      signal?.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      failures.push(`- ${way.name}: ${reason}`);
      report(`Failed: ${way.name}: ${lastLine(reason)}`);
    }
  }
  throw new Error([`Cannot get a ${wanted}. Tried in this order:`, ...failures, advice].join('\n'));
}

/** The last line says what went wrong; the error has the whole text. */
function lastLine(reason: string): string {
  const line = reason.trim().split('\n').at(-1)?.trim() ?? '';
  return line.length <= REASON_LENGTH_MAX ? line : `…${line.slice(-REASON_LENGTH_MAX)}`;
}

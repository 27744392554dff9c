import type { Report } from './run-command.ts';

const LAST_WORDS_MAX = 160;

/** One way to get something. */
export interface Way<T> {
  /** As it reads in a list: "`temporal` on the PATH". */
  readonly name: string;
  /** Undefined: not to be had this way, and `absent` says why. Throws when the way was tried and failed. */
  get(): Promise<T | undefined>;
  /** What the list says when there is nothing to be had this way: "there is none". */
  readonly absent: string;
}

export interface FirstThatWorksOptions<T> {
  /** What is wanted, as it reads after "No ... could be had". */
  readonly wanted: string;
  readonly ways: readonly Way<T>[];
  /** The last sentence of the error: what the user can do. */
  readonly advice: string;
  readonly report: Report;
  /** Once it is aborted no other way is tried. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Goes through the ways in order and returns what the first gives. Throws one error that tells why each failed, or the
 * signal's reason.
 */
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
      report(`Not by ${way.name}: ${lastWords(reason)}`);
    }
  }
  throw new Error([`No ${wanted} could be had. Tried, in this order:`, ...failures, advice].join('\n'));
}

/** The end of a message says what went wrong in the end; the whole of it is in the error. */
function lastWords(reason: string): string {
  const line = reason.trim().split('\n').at(-1)?.trim() ?? '';
  return line.length <= LAST_WORDS_MAX ? line : `…${line.slice(-LAST_WORDS_MAX)}`;
}

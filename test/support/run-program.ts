import { type Command, type CommanderError, InvalidArgumentError } from 'commander';
import { untilInterrupted } from '../../src/cli/until-interrupted.ts';

/** What a program of these tests, started from a shell, works with. */
export interface ProgramRun {
  /** A line of progress, on stderr. */
  readonly report: (line: string) => void;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Then resolves with the exit code. */
  readonly interrupted: Promise<number>;
}

/**
 * Sets the exit code: what `main` resolves with, 130 or 143 if interrupted, 1 with the message on stderr if it throws, and 2
 * without a call if the command line cannot be understood.
 */
export async function runProgram(program: Command, main: (run: ProgramRun) => Promise<number>): Promise<void> {
  try {
    program.exitOverride().parse();
  } catch (error) {
    process.exitCode = (error as CommanderError).exitCode === 0 ? 0 : 2;
    return;
  }
  const ending = new AbortController();
  const interrupted = untilInterrupted().then((code) => {
    ending.abort(new Error('interrupted'));
    return code;
  });
  const { signal } = ending;
  try {
    process.exitCode = await main({ report, signal, interrupted });
  } catch (error) {
    if (!signal.aborted) report(error instanceof Error ? error.message : String(error));
    process.exitCode = signal.aborted ? await interrupted : 1;
  }
}

/** The value of an option. */
export const wholeNumber =
  (least: number) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
  };

function report(line: string): void {
  process.stderr.write(`${line}\n`);
}

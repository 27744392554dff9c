import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Suite, Verdict } from './suite.ts';
import { type Tools, ToolsMissing } from './tools.ts';

export interface JudgedCase extends Verdict {
  readonly suite: string;
  readonly agree: boolean;
}

export interface RunOptions {
  readonly suites: readonly Suite[];
  /** Runs only the cases whose names contain this text. */
  readonly text: string;
  /** Of the generated cases. */
  readonly seed: number;
  /** How many cases are generated. */
  readonly count: number;
  /** In CI a suite without its tools fails instead of being skipped. */
  readonly ci: boolean;
  readonly signal: AbortSignal;
  readonly findTools: (suite: Suite) => Promise<Tools>;
  judged(judged: JudgedCase): void;
  say(line: string): void;
}

/** Returns whether all suites ran and all cases agree. A run without any case fails. */
export async function runSuites(options: RunOptions): Promise<boolean> {
  const counts = { agreed: 0, differed: 0, skipped: 0, failed: 0 };
  for (const suite of options.suites) {
    try {
      for await (const judged of runSuite(suite, options)) {
        counts[judged.agree ? 'agreed' : 'differed'] += 1;
        options.judged(judged);
      }
    } catch (error) {
      options.signal.throwIfAborted();
      const missing = error instanceof ToolsMissing;
      if (missing && !options.ci) {
        counts.skipped += 1;
        options.say(`- ${suite.name}: skipped, its tools are missing: ${error.message}`);
      } else {
        counts.failed += 1;
        options.say(`✖ ${suite.name}: could not run: ${missing ? error.message : stackOf(error)}`);
      }
    }
  }
  const { agreed, differed, skipped, failed } = counts;
  const rest = [
    ...(failed > 0 ? [`${failed} suites failed`] : []),
    ...(skipped > 0 ? [`${skipped} suites skipped`] : []),
  ];
  options.say([`${agreed} cases agree`, `${differed} differ`, ...rest].join(', '));
  return differed + failed === 0 && agreed + skipped > 0;
}

async function* runSuite(
  suite: Suite,
  { text, signal, findTools, seed, count }: RunOptions,
): AsyncGenerator<JudgedCase> {
  const tools = await findTools(suite);
  const folder = await mkdtemp(join(tmpdir(), `sendoff-judge-${suite.name}-`));
  try {
    const wants = (name: string): boolean => name.includes(text);
    for await (const verdict of suite.run({ tools, folder, wants, signal, seed, count })) {
      signal.throwIfAborted();
      yield { suite: suite.name, agree: verdict.theirs === verdict.ours, ...verdict };
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

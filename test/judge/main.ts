import { Command } from 'commander';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Suite, Verdict } from './suite.ts';
import { suites } from './suites.ts';
import { findTools, ToolsMissing } from './tools.ts';

interface Options {
  readonly case?: string;
  readonly json?: boolean;
}

interface JudgedCase extends Verdict {
  readonly suite: string;
  readonly agree: boolean;
}

const program = new Command('judge')
  .description(
    'Judges sendoff by tools that others wrote: each case is given to both, and their words are compared. Tools that are\n' +
      'not installed are fetched into the cache of sendoff; a suite without its tools is skipped, with CI set it fails.',
  )
  .argument('[suites...]', `which suites: ${suites.map(({ name }) => name).join(', ')} (default: all)`)
  .option('--case <text>', 'only cases whose names contain the text')
  .option('--json', 'one JSON object a case on stdout; everything else on stderr')
  .addHelpText(
    'after',
    `\nSuites:\n${suites.map(({ name, title }) => `  ${name.padEnd(12)} ${title}`).join('\n')}\n\n` +
      'Exit codes: 0 all agree, 1 a case differs or a suite could not run, 2 wrong arguments, 130 interrupted.',
  );

const stopping = new AbortController();
process.once('SIGINT', () => {
  stopping.abort(new Error('interrupted'));
});
program.exitOverride();
try {
  program.parse();
} catch (error) {
  process.exit((error as { exitCode: number }).exitCode === 0 ? 0 : 2);
}
process.exitCode = await main(program.args, program.opts());

async function main(names: readonly string[], options: Options): Promise<number> {
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    say(`unknown suite: ${unknown.join(', ')}; there are ${suites.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const counts = { agreed: 0, differed: 0, skipped: 0, failed: 0 };
  for (const suite of suites.filter(({ name }) => names.length === 0 || names.includes(name))) {
    try {
      for await (const judged of runSuite(suite, options.case ?? '')) {
        counts[judged.agree ? 'agreed' : 'differed'] += 1;
        process.stdout.write(`${options.json === true ? JSON.stringify(judged) : shown(judged)}\n`);
      }
    } catch (error) {
      if (stopping.signal.aborted) return 130;
      const missing = error instanceof ToolsMissing;
      if (missing && process.env['CI'] === undefined) {
        counts.skipped += 1;
        say(`- ${suite.name}: skipped, its tools are missing: ${error.message}`);
      } else {
        counts.failed += 1;
        say(`✖ ${suite.name}: could not run: ${missing ? error.message : detailOf(error)}`);
      }
    }
  }
  const { agreed, differed, skipped, failed } = counts;
  const rest = [
    ...(failed > 0 ? [`${failed} suites failed`] : []),
    ...(skipped > 0 ? [`${skipped} suites skipped`] : []),
  ];
  say([`${agreed} cases agree`, `${differed} differ`, ...rest].join(', '));
  if (agreed + differed === 0 && skipped === 0) say('no case has such a name');
  return differed + failed === 0 && agreed + skipped > 0 ? 0 : 1;
}

async function* runSuite(suite: Suite, text: string): AsyncGenerator<JudgedCase> {
  const tools = await findTools(suite, say);
  const folder = await mkdtemp(join(tmpdir(), `sendoff-judge-${suite.name}-`));
  try {
    const wants = (name: string): boolean => name.includes(text);
    for await (const verdict of suite.run({ tools, folder, wants, signal: stopping.signal })) {
      stopping.signal.throwIfAborted();
      yield { suite: suite.name, agree: verdict.theirs === verdict.ours, ...verdict };
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function shown({ suite, case: name, judge, theirs, ours, agree, detail }: JudgedCase): string {
  const line = `${agree ? '✔' : '✖'} ${suite} · ${name} · ${judge}: ${short(theirs)} · sendoff: ${short(ours)}`;
  return agree || detail === undefined ? line : `${line}\n    ${detail.replaceAll('\n', '\n    ')}`;
}

/** `--json` has the whole. */
const short = (words: string): string => (words.length > 400 ? `${words.slice(0, 400)}…` : words);

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

const detailOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

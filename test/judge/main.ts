import { Command } from 'commander';
import { type JudgedCase, runSuites } from './run-suites.ts';
import { suites } from './suites.ts';
import { findTools } from './tools.ts';

interface Options {
  readonly case?: string;
  readonly json?: boolean;
  readonly seed?: number;
  readonly count?: number;
}

const program = new Command('judge')
  .description(
    'Gives each case to sendoff and to a tool of other authors, and compares their verdicts. ' +
      'Missing tools are fetched into the cache of sendoff. A suite without its tools is skipped, or fails if CI is set.',
  )
  .argument('[suites...]', `the suites to run: ${suites.map(({ name }) => name).join(', ')} (default: all)`)
  .option('--case <text>', 'run only the cases whose names contain the text')
  .option('--seed <number>', 'of the generated zones (default: 1)', Number)
  .option('--count <number>', 'how many zones are generated (default: 40)', Number)
  .option('--json', 'write one JSON object per case to stdout, everything else to stderr')
  .addHelpText(
    'after',
    `\nSuites:\n${suites.map(({ name, title }) => `  ${name.padEnd(12)} ${title}`).join('\n')}\n\n` +
      'Exit codes: 0 all cases agree, 1 a case differs or a suite could not run, 2 wrong arguments, 130 interrupted.',
  )
  .exitOverride();

async function main(): Promise<number> {
  try {
    program.parse();
  } catch (error) {
    return (error as { exitCode: number }).exitCode === 0 ? 0 : 2;
  }
  const options = program.opts<Options>();
  const unknown = program.args.filter((name) => !suites.some((suite) => suite.name === name));
  if (unknown.length > 0) {
    say(`Unknown suite ${unknown.join(', ')}; expected ${suites.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const interruption = new AbortController();
  process.once('SIGINT', () => {
    interruption.abort(new Error('interrupted'));
  });
  try {
    const passed = await runSuites({
      suites: suites.filter(({ name }) => program.args.length === 0 || program.args.includes(name)),
      ...(options.case === undefined ? {} : { text: options.case }),
      ...(options.seed === undefined ? {} : { seed: options.seed }),
      ...(options.count === undefined ? {} : { count: options.count }),
      ci: process.env['CI'] !== undefined,
      signal: interruption.signal,
      findTools: (suite) => findTools(suite, say),
      judged(judged) {
        process.stdout.write(`${options.json === true ? JSON.stringify(judged) : shown(judged)}\n`);
      },
      say,
    });
    return passed ? 0 : 1;
  } catch (error) {
    if (interruption.signal.aborted) return 130;
    throw error;
  }
}

function shown({ suite, case: name, judge, theirs, ours, agree, detail }: JudgedCase): string {
  const line = `${agree ? '✔' : '✖'} ${suite} · ${name} · ${judge}: ${short(theirs)} · sendoff: ${short(ours)}`;
  return agree || detail === undefined ? line : `${line}\n    ${detail.replaceAll('\n', '\n    ')}`;
}

/** `--json` prints the whole verdict. */
const short = (words: string): string => (words.length > 400 ? `${words.slice(0, 400)}…` : words);

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

process.exitCode = await main();

import { Argument, Command } from 'commander';
import { type ProgramRun, runProgram, wholeNumber } from '../support/run-program.ts';
import { type JudgedCase, runSuites } from './run-suites.ts';
import { suites } from './suites.ts';
import { findTools } from './tools.ts';

interface Options {
  readonly case?: string;
  readonly json?: boolean;
  readonly seed: number;
  readonly count: number;
}

const program = new Command('judge')
  .description(
    'Gives each case to sendoff and to a tool of other authors, and compares their verdicts. ' +
      'Missing tools are fetched into the cache of sendoff. A suite without its tools is skipped, or fails if CI is set.',
  )
  .addArgument(new Argument('[suites...]', 'the suites to run (default: all)').choices(suites.map(({ name }) => name)))
  .option('--case <text>', 'run only the cases whose names contain the text')
  .option('--seed <number>', 'of the generated zones', wholeNumber(0), 1)
  // Each mistake once.
  .option('--count <number>', 'how many zones are generated', wholeNumber(1), 40)
  .option('--json', 'write one JSON object per case to stdout, everything else to stderr')
  .addHelpText(
    'after',
    `\nSuites:\n${suites.map(({ name, title }) => `  ${name.padEnd(12)} ${title}`).join('\n')}\n\n` +
      'Exit codes: 0 all cases agree, 1 a case differs or a suite could not run, 2 wrong arguments, 130 or 143 interrupted.',
  );

async function main(
  { case: text = '', seed, count, json = false }: Options,
  { report: say, signal }: ProgramRun,
): Promise<number> {
  const passed = await runSuites({
    suites: suites.filter(({ name }) => program.args.length === 0 || program.args.includes(name)),
    ...{ text, seed, count, signal, say },
    ci: process.env['CI'] !== undefined,
    findTools: (suite) => findTools(suite, say),
    judged(judged) {
      process.stdout.write(`${json ? JSON.stringify(judged) : shown(judged)}\n`);
    },
  });
  return passed ? 0 : 1;
}

function shown({ suite, case: name, judge, theirs, ours, agree, detail }: JudgedCase): string {
  const line = `${agree ? '✔' : '✖'} ${suite} · ${name} · ${judge}: ${short(theirs)} · sendoff: ${short(ours)}`;
  return agree || detail === undefined ? line : `${line}\n    ${detail.replaceAll('\n', '\n    ')}`;
}

/** `--json` prints the whole verdict. */
const short = (words: string): string => (words.length > 400 ? `${words.slice(0, 400)}…` : words);

await runProgram(program, (run) => main(program.opts<Options>(), run));

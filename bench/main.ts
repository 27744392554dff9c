import { Command, Option } from 'commander';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProduction } from '../test/deployment/find-production.ts';
import { buildPackage, commandIn } from '../test/support/build-package.ts';
import { findCli } from '../test/support/find-temporal-servers.ts';
import { type ProgramRun, runProgram, wholeNumber } from '../test/support/run-program.ts';
import { machine, versions } from './machine.ts';
import { runRounds } from './run-rounds.ts';
import type { TemporalPrograms } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { sectionsOf } from './shown-report.ts';
import { BENCHMARKS_FILE, withSections } from './benchmarks-file.ts';

interface Options {
  readonly only?: readonly string[];
  readonly rounds?: number;
  readonly server: TemporalPrograms['kind'];
  readonly quick?: boolean;
  readonly json?: boolean;
  readonly write?: boolean;
}

const program = new Command('bench')
  .description(
    'Measures sendoff beside what needs no more than this repository, each scenario once in every round, all programs as\n' +
      'processes of the built package on this machine.\n\nScenarios:\n' +
      scenarios.map(({ name, table, title }) => `  ${name.padEnd(18)} ${table}: ${title}`).join('\n'),
  )
  .addOption(new Option('--only <names...>', 'run these scenarios').choices(scenarios.map(({ name }) => name)))
  .option('--rounds <count>', 'how often each scenario runs (default: 3, with --quick 1)', wholeNumber(1))
  .addOption(
    new Option(
      '--server <kind>',
      "Temporal's dev server with SQLite, or the Temporal server of production with PostgreSQL",
    )
      .choices(['dev', 'postgres'])
      .default('dev'),
  )
  .option('--quick', 'measure for seconds: shows that a scenario works, and is no comparison')
  .option('--json', 'every round as one JSON object on stdout; progress goes to stderr')
  .option('--write', `write the tables of the scenarios that ran into ${BENCHMARKS_FILE}`);

/** 0 measured · 1 a scenario could not be run · 2 the command line cannot be understood · 130, 143 interrupted. */
async function main(
  { only, server, quick = false, json = false, write = false, ...given }: Options,
  { report, signal }: ProgramRun,
): Promise<number> {
  const rounds = given.rounds ?? (quick ? 1 : 3);
  const folder = mkdtempSync(join(tmpdir(), 'sendoff-bench-package-'));
  try {
    const temporal = await findTemporal(server, { report, signal });
    report('Building the package');
    await buildPackage(folder);
    const chosen = scenarios.filter(({ name }) => only?.includes(name) ?? true);
    const results = await runRounds({
      ...{ scenarios: chosen, rounds, quick, temporal, signal, report },
      command: commandIn(folder),
    });
    const about = { server, rounds, quick, machine: machine(), versions: await versions(temporal) };
    const sections = sectionsOf(chosen, results, about);
    if (json) process.stdout.write(`${JSON.stringify({ ...about, results: Object.fromEntries(results) })}\n`);
    else process.stdout.write(`${sections.map(({ text }) => text).join('\n\n')}\n`);
    if (write) {
      const file = fileURLToPath(new URL(`../${BENCHMARKS_FILE}`, import.meta.url));
      writeFileSync(file, withSections(readFileSync(file, 'utf8'), server, sections));
      report(`Wrote ${BENCHMARKS_FILE}`);
    }
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function findTemporal(
  kind: TemporalPrograms['kind'],
  run: Pick<ProgramRun, 'report' | 'signal'>,
): Promise<TemporalPrograms> {
  if (kind === 'postgres') return { kind, production: await findProduction(run) };
  const cli = await findCli();
  if ('failure' in cli) throw new Error(cli.failure);
  return { kind, cli: cli.path };
}

await runProgram(program, (run) => main(program.opts<Options>(), run));

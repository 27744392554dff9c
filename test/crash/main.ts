import { Command, Option } from 'commander';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildPackage, commandIn } from '../support/build-package.ts';
import { infrastructureOn } from '../deployment/infrastructure-on.ts';
import { type ProgramRun, runProgram, wholeNumber } from '../support/run-program.ts';
import { type Database, databases } from './crash-plan.ts';
import { shownReport } from './crash-report.ts';
import { crashRun } from './crash-run.ts';

interface Options {
  readonly database: Database;
  readonly kills: number;
  readonly onboardings?: number;
  readonly seed: number;
  readonly json?: boolean;
  readonly data?: string;
}

/** Onboardings when nothing is said: one per kill, and never fewer than hold every kind of tenant. */
const ONBOARDINGS_MIN = 10;

const program = new Command('test:crash')
  .description(
    'Onboards tenants while worker, server, email service, Temporal and PostgreSQL are killed with SIGKILL, and then judges by what\n' +
      'the receiving mail server has: one message per tenant, every onboarding ended, nothing left that no outcome lists.',
  )
  .addOption(
    new Option(
      '--database <kind>',
      'sqlite: one of each program, a Temporal dev server; postgres: two of each, Temporal server',
    )
      .choices(databases)
      .default('sqlite'),
  )
  .option('--kills <count>', 'how many processes are killed', wholeNumber(1), 100)
  .option(
    '--onboardings <count>',
    `how many tenants (default: as many as kills, at least ${ONBOARDINGS_MIN})`,
    wholeNumber(1),
  )
  .option('--seed <number>', 'what the plan is made from; the timing of the machine is not in it', wholeNumber(0), 1)
  .option('--json', 'the report as one JSON object on stdout; progress goes to stderr')
  .option('--data <dir>', 'an empty folder in which logs, messages and SQLite files are kept to look at');

/** 0 everything held · 1 it did not, or could not be run · 2 the command line cannot be understood · 130, 143 interrupted. */
async function main(options: Options, { report, signal }: ProgramRun): Promise<number> {
  const folder = options.data === undefined ? mkdtempSync(join(tmpdir(), 'sendoff-crash-')) : resolve(options.data);
  const packageFolder = join(folder, 'package');
  try {
    const startInfrastructure = await infrastructureOn(options.database, { durable: true, report, signal });
    report('Building the package');
    await buildPackage(packageFolder);
    const result = await crashRun({
      database: options.database,
      seed: options.seed,
      kills: options.kills,
      onboardings: options.onboardings ?? Math.max(options.kills, ONBOARDINGS_MIN),
      folder,
      command: commandIn(packageFolder),
      startInfrastructure,
      logLevel: options.data === undefined ? 'error' : 'info',
      ...{ report, signal },
    });
    process.stdout.write(`${options.json === true ? JSON.stringify(result) : shownReport(result)}\n`);
    return result.faults.length === 0 ? 0 : 1;
  } finally {
    if (options.data === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

await runProgram(program, (run) => main(program.opts<Options>(), run));

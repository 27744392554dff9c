import { Command, Option } from 'commander';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Database, databases } from '../crash/crash-plan.ts';
import { infrastructureOn } from '../deployment/infrastructure-on.ts';
import { type Deployment, startDeployment } from '../deployment/start-deployment.ts';
import { untilReady } from '../deployment/until-ready.ts';
import { buildPackage, commandIn } from '../support/build-package.ts';
import { type ProgramRun, runProgram, wholeNumber } from '../support/run-program.ts';
import { isClean, shownTopologyReport, topologyRun } from './topology-run.ts';

interface Options {
  readonly tenants: number;
  readonly database: Database;
  readonly restart?: boolean;
  readonly rotate?: boolean;
  readonly minutes: number;
  readonly keep?: boolean;
  readonly json?: boolean;
  readonly data?: string;
}

const program = new Command('topology')
  .description(
    'Runs the production topology as processes: PostgreSQL, the Temporal server on it, two servers, two Workers, three email\n' +
      'services (one per role) and load balancers. Onboards tenants through both servers and judges what the mailbox has.',
  )
  .option('--tenants <count>', 'how many tenants are onboarded', wholeNumber(1), 8)
  .option('--restart', 'end every process with SIGTERM meanwhile, one after the other')
  .addOption(
    new Option(
      '--rotate',
      'replace every key and token meanwhile, encrypt payloads, kill PostgreSQL, move to versioned Workers and back; takes half an hour',
    ).conflicts(['restart', 'minutes']),
  )
  .addOption(
    new Option(
      '--database <kind>',
      'sqlite: one of each program, a Temporal dev server; postgres: the production topology',
    )
      .choices(databases)
      .default('postgres'),
  )
  .option(
    '--minutes <count>',
    'onboard as many again for so long, send emails meanwhile, and show the memory and descriptors of each program',
    wholeNumber(1),
    0,
  )
  .option('--keep', 'keep everything running at the end, until Ctrl-C')
  .option('--json', 'the report as one JSON object on stdout; progress goes to stderr')
  .option('--data <dir>', 'an empty folder in which logs and messages are kept to look at');

/** 0 everything held · 1 it did not, or could not be run · 2 the command line cannot be understood · 130, 143 interrupted. */
async function main(options: Options, { report, signal, interrupted }: ProgramRun): Promise<number> {
  const folder = options.data === undefined ? mkdtempSync(join(tmpdir(), 'sendoff-topology-')) : resolve(options.data);
  const packageFolder = join(folder, 'package');
  let deployment: Deployment | undefined;
  try {
    const startInfrastructure = await infrastructureOn(options.database, {
      durable: options.rotate === true,
      report,
      signal,
    });
    report('Building the package');
    await buildPackage(packageFolder);
    signal.throwIfAborted();
    deployment = await startDeployment({
      ...{ folder, command: commandIn(packageFolder), report, signal },
      logLevel: options.data === undefined && options.keep !== true ? 'error' : 'info',
      inspected: options.minutes > 0,
      startInfrastructure,
    });
    await untilReady(deployment.programs, signal);
    report(addresses(deployment));
    const { tenants, restart = false, rotate = false, minutes } = options;
    const result = await topologyRun(deployment, { ...{ tenants, restart, rotate, minutes }, report, signal });
    process.stdout.write(`${options.json === true ? JSON.stringify(result) : shownTopologyReport(result)}\n`);
    if (options.keep === true) {
      report(`\n${addresses(deployment)}\nStill running; press Ctrl-C to stop it`);
      return await interrupted;
    }
    return isClean(result, rotate) ? 0 : 1;
  } finally {
    await deployment?.stop();
    if (options.data === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function addresses({ api, emailService, temporalAddress, databaseUrl, programs, dataFolder }: Deployment): string {
  return [
    `HTTP API       ${api.url} (docs at ${api.url}/docs)`,
    `email service  ${emailService.url}`,
    `Temporal       ${temporalAddress}`,
    `PostgreSQL     ${databaseUrl}`,
    ...programs.map(({ name, url }) => `${name.padEnd(20)} ${url}`),
    `Logs           ${dataFolder.path}`,
    `Try            node bin/sendoff.js list --data ${dataFolder.path}`,
  ].join('\n');
}

await runProgram(program, (run) => main(program.opts<Options>(), run));

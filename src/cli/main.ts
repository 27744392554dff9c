import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { existsSync, readFileSync } from 'node:fs';
import { addAgentsMdCommands } from './agents-md/commands.ts';
import { CommandError } from './command-error.ts';
import type { DnsCheckOptions } from './dns-check/dns-check.ts';
import type { OnboardOptions } from './onboarding/commands.ts';
import { unreadableFile } from './unreadable-file.ts';
import { errorExitCode, ExitCode, onboardingExitCodes } from './exit-codes.ts';
import { RETENTION_DAYS_DEFAULT } from '../lib/temporal/setup/retention.ts';
import type { DemoFailure } from './local/demo-scenarios.ts';
import { UndoScope, VERIFICATION_WINDOW_DEFAULT } from '../onboarding/input.ts';

const DEV_DATA_DEFAULT = './data/dev';
const RETENTION_DAYS_MAX = 3_650;

// Commands load what they need when they run: Temporal and its Workers take a second that `status` does not need.
const program = new Command('sendoff')
  .description('One durable Temporal workflow per tenant: from an API key to a delivered first email.')
  .version(
    (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version,
  )
  .addHelpText('after', () => `\n${exitCodesHelp()}`)
  .showHelpAfterError('(sendoff --help shows every command)')
  .exitOverride();

const json = new Option('--json', 'the result as one JSON object on the last line of stdout; progress goes to stderr');
/** A new one for each command: a default belongs to its command alone. */
const data = (note = '') =>
  new Option('--data <dir>', `where the set-up keeps what it needs to go on after a restart${note}`);

program
  .command('demo')
  .description('start everything on this machine, onboard one tenant, and end')
  .addOption(
    new Option(
      '--fail <how>',
      'make it go wrong: one of the exits of the specification, or an operator who cancels',
    ).choices(['F1', 'F2', 'F3', 'cancel'] satisfies DemoFailure[]),
  )
  .addOption(json)
  .addOption(data(' (default: a folder that is removed at the end)'))
  .option('--keep', 'leave it running at the end, until Ctrl-C')
  .action(async (options: { json?: boolean; keep?: boolean; data?: string; fail?: DemoFailure }) => {
    const { runDemo } = await import('./local/demo.ts');
    await exitWith(runDemo({ ...options, json: options.json ?? false, keep: options.keep ?? false }, process.env));
  });

program
  .command('dev')
  .description('start everything on this machine, to work against it')
  .addOption(data().default(DEV_DATA_DEFAULT))
  .action(async (options: { data: string }) => {
    const { runDev } = await import('./local/dev.ts');
    await exitWith(runDev(options.data, process.env));
  });

program
  .command('publish <tenant>')
  .description("play the tenant: publish its DNS records in the zone of a running 'sendoff dev'")
  .addOption(data().default(DEV_DATA_DEFAULT))
  .action(async (tenantId: string, options: { data: string }) => {
    const { publish } = await import('./local/publish.ts');
    await exitWith(publish(tenantId, options.data));
  });

program
  .command('onboard')
  .description('onboard a tenant at a running set-up, and follow it to its end')
  .requiredOption('--tenant <id>', "the backend's own id of the tenant")
  .requiredOption('--domain <name>', 'the sending domain, in A-labels')
  .requiredOption('--from <address>', 'an address on the domain')
  .requiredOption('--to <address>', 'recipient of the first email')
  .requiredOption('--subject <text>', 'subject of the first email')
  .requiredOption('--body <text>', 'text of the first email')
  .option(
    '--verification-window <duration>',
    `how long the tenant may take, such as 3d or "72 hours" (default: "${VERIFICATION_WINDOW_DEFAULT}")`,
  )
  .addOption(new Option('--undo <scope>', 'what a bad end takes back').choices(Object.keys(UndoScope)))
  .option('--restart', 'onboard a tenant anew whose onboarding has ended; replaces its API key and its webhook')
  .option('--no-follow', 'only start it')
  .addOption(json)
  .addOption(data().default(DEV_DATA_DEFAULT))
  .action(async (options: OnboardOptions) => {
    const { onboard } = await import('./onboarding/commands.ts');
    await exitWith(onboard(options, process.env));
  });

program
  .command('status <tenant>')
  .description('where the onboarding of a tenant stands')
  .addOption(json)
  .addOption(data().default(DEV_DATA_DEFAULT))
  .action(async (tenantId: string, options: { json?: boolean; data: string }) => {
    const { status } = await import('./onboarding/commands.ts');
    await exitWith(status(tenantId, options, process.env));
  });

program
  .command('cancel <tenant>')
  .description('cancel the onboarding of a tenant, and wait until it has taken back what it made')
  .addOption(json)
  .addOption(data().default(DEV_DATA_DEFAULT))
  .action(async (tenantId: string, options: { json?: boolean; data: string }) => {
    const { cancel } = await import('./onboarding/commands.ts');
    await exitWith(cancel(tenantId, options, process.env));
  });

program
  .command('dns')
  .description("look at a domain's DNS")
  .command('check <domain>')
  .description('compare what is published now with the records a domain needs; 0 when everything required is there')
  .option('--records <file>', 'the records as JSON, as the provider answers a domain; - for stdin')
  .option('--tenant <id>', "the records of this tenant's onboarding")
  .option(
    '--server <host:port>',
    "ask this server instead of the zone's authoritative ones; may be repeated",
    (server: string, others: readonly string[] | undefined) => [...(others ?? []), server],
  )
  .addOption(json)
  .option('--data <dir>', `the set-up whose tenants and DNS are meant (default for --tenant: "${DEV_DATA_DEFAULT}")`)
  .action(async (domain: string, options: DnsCheckOptions) => {
    const { dnsCheck } = await import('./dns-check/dns-check.ts');
    const write = (text: string): void => void process.stdout.write(text);
    await exitWith(
      dnsCheck(domain, options, {
        environment: process.env,
        stdin: process.stdin,
        write,
        dataDefault: DEV_DATA_DEFAULT,
      }),
    );
  });

addAgentsMdCommands(program, {
  environment: process.env,
  dataDefault: DEV_DATA_DEFAULT,
  exitWith,
  runDemo: async (options) => {
    const { runAgentsMdDemo } = await import('./agents-md/run-demo.ts');
    return runAgentsMdDemo(options, process.env);
  },
});

program
  .command('setup')
  .description(
    'create what the programs need: the Temporal Namespace, its Search Attributes, the databases; safe to run again',
  )
  .addOption(
    new Option('--retention-days <days>', 'how long a Namespace that is created keeps ended Workflows')
      .default(RETENTION_DAYS_DEFAULT)
      .argParser(retentionDays),
  )
  .addOption(json)
  .action(async (options: { json?: boolean; retentionDays: number }) => {
    const { setup } = await import('./programs/setup.ts');
    await exitWith(setup(options, { environment: process.env, write: (text) => void process.stdout.write(text) }));
  });

for (const [name, description] of [
  ['server', 'run the HTTP API for the backend'],
  ['worker', 'run the Workflows and Activities of the orchestrator'],
  ['email-service', 'run the email service alone'],
] as const) {
  program
    .command(name)
    .description(`${description}, configured by the environment or .env`)
    .action(async () => {
      const { runProgram } = await import('./programs/run-program.ts');
      await exitWith(runProgram(name, process.env));
    });
}

// A .env file of the working directory counts as environment; what is set already wins. The set-up on a laptop brings
// everything of its own, and a .env that is meant for the programs must not point it elsewhere.
program.hook('preAction', (_program, command) => {
  if (!['demo', 'dev', 'publish'].includes(command.name())) loadEnvFile();
});

// Whoever reads the output has read enough: the code is that of an end by SIGPIPE, and never that of an outcome.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(141);
});

try {
  for (const command of program.commands) command.exitOverride();
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
// Temporal's Runtime and open connections would keep a process that has nothing left to do alive.
process.stdout.write('', () => process.exit());

async function exitWith(command: Promise<number>): Promise<void> {
  process.exitCode = await command;
}

function loadEnvFile(): void {
  if (!existsSync('.env')) return;
  try {
    // Node's own error for a folder names neither the file nor the reason.
    readFileSync('.env');
    process.loadEnvFile('.env');
  } catch (error) {
    throw unreadableFile('.env', error);
  }
}

function retentionDays(value: string): number {
  const days = Number(value);
  if (Number.isInteger(days) && days >= 1 && days <= RETENTION_DAYS_MAX) return days;
  throw new InvalidArgumentError(`Expected whole days, 1 to ${String(RETENTION_DAYS_MAX)}.`);
}

function exitCodesHelp(): string {
  const ends = Object.entries(onboardingExitCodes).map(([end, code]) => `  ${String(code).padEnd(3)} ${end}`);
  return [
    'Exit codes:',
    `  ${String(ExitCode.done).padEnd(3)} done`,
    `  ${String(ExitCode.failed).padEnd(3)} something is wrong with the set-up, or with what was asked for`,
    `  ${String(ExitCode.usage).padEnd(3)} the command line cannot be understood`,
    "  how an onboarding ended (commands 'onboard' and 'status'):",
    ...ends,
    "  the commands of 'agents-md' have codes of their own: sendoff agents-md --help",
  ].join('\n');
}

function report(error: unknown): number {
  const group = program.args[0];
  // Commander has printed its own message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : errorExitCode(group, 'usage');
  const message = messages(error).join('\n  because: ');
  process.stderr.write(`${message}\n`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) process.stderr.write(`${error.stack ?? ''}\n`);
  if (process.argv.includes('--json')) {
    const code = error instanceof CommandError ? (error.code ?? 'command_failed') : 'command_failed';
    process.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
  }
  const isInvalid = error instanceof CommandError && error.code === 'validation_failed';
  return isInvalid && group !== 'agents-md' ? onboardingExitCodes.InvalidInput : errorExitCode(group, 'failed');
}

/** What went wrong, and what that came from, unless it says nothing more. */
function messages(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const [first, ...further] = error.cause === undefined ? [] : messages(error.cause);
  return [error.message, ...(first === undefined || error.message.includes(first) ? [] : [first]), ...further];
}

import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { existsSync, readFileSync } from 'node:fs';
import { addAgentsMdCommands } from './agents-md/commands.ts';
import { exitWith, processContext } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { DATA_DEFAULT, dataOption, jsonOption } from './common-options.ts';
import { addConformanceCommand } from './conformance/commands.ts';
import { addDatabaseCommands } from './databases/commands.ts';
import type { DnsCheckOptions } from './dns-check/dns-check.ts';
import { addDeploymentCommands } from './deployment/commands.ts';
import { addDoctorCommand } from './doctor/commands.ts';
import { addNotificationCommands } from './notifications/commands.ts';
import { addOnboardingCommands } from './onboarding/commands.ts';
import { unreadableFile } from './unreadable-file.ts';
import { ExitCode, onboardingExitCodes } from './exit-codes.ts';
import { type ProviderName, providerNames } from '../onboarding/provider-name.ts';
import { RETENTION_DAYS_DEFAULT } from '../lib/temporal/setup/retention.ts';
import type { EmailServiceConfig } from '../email-service/config.ts';
import { completionScripts } from './completion/completion-scripts.ts';
import { offerFor } from './completion/offer.ts';
import type { DemoFailure } from './local/demo-scenarios.ts';
import type { DevOptions } from './local/dev.ts';
import type { SetupOptions } from './programs/setup.ts';
import type { SetupProviderOptions } from './programs/setup-provider.ts';
import { type DnsMistake, dnsMistakeNames } from '../dev/world/dns-mistake-names.ts';

type EmailServiceRole = EmailServiceConfig['role'];

const RETENTION_DAYS_MAX = 3_650;

// Commands import what they need when they run: loading Temporal takes a second, which `status` can do without.
export const program = new Command('sendoff')
  .description('One durable Temporal Workflow per tenant: from an API key to a delivered first email.')
  .version(
    (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version,
  )
  .addHelpText('after', () => `\n${exitCodesHelp()}`)
  .showHelpAfterError('(sendoff --help lists all commands)')
  .exitOverride();

program
  .command('demo')
  .description('start a local deployment, onboard one tenant, and stop')
  .addOption(
    new Option(
      '--fail <how>',
      'fail on purpose: one of the three failure exits, or a cancellation by an operator',
    ).choices(['F1', 'F2', 'F3', 'cancel'] satisfies DemoFailure[]),
  )
  .addOption(jsonOption())
  .addOption(dataOption(' (default: a temporary folder)'))
  .option('--keep', 'keep the deployment running at the end, until Ctrl-C')
  .action(async (options: { json?: boolean; keep?: boolean; data?: string; fail?: DemoFailure }) => {
    const { runDemo } = await import('./local/demo.ts');
    await exitWith(runDemo({ ...options, json: options.json ?? false, keep: options.keep ?? false }, process.env));
  });

program
  .command('dev')
  .description('start a local deployment: Temporal, DNS, mail, the email service and the orchestrator')
  .option('--notify <url>', 'post the notifications to the backend to this URL (docs/notifications.md)')
  .addOption(dataOption().default(DATA_DEFAULT))
  .action(async (options: DevOptions) => {
    const { runDev } = await import('./local/dev.ts');
    await exitWith(runDev(options, process.env));
  });

program
  .command('publish <tenant>')
  .description("publish a tenant's DNS records in the DNS server of 'sendoff dev', as the tenant would")
  .addOption(new Option('--mistake <code>', 'enter them as a tenant who makes this mistake').choices(dnsMistakeNames))
  .addOption(dataOption().default(DATA_DEFAULT))
  .action(async (tenantId: string, options: { data: string; mistake?: DnsMistake }) => {
    const { publish } = await import('./local/publish.ts');
    await exitWith(publish(tenantId, options));
  });

addOnboardingCommands(program);
addNotificationCommands(program);

program
  .command('dns')
  .description("check a domain's DNS records")
  .command('check <domain>')
  .description(
    'compare the published DNS records with those that the domain needs; exits 0 if all required ones are correct',
  )
  .option('--records <file>', "file with the needed records: the provider's JSON of a domain; - for stdin")
  .option('--tenant <id>', "use the records of this tenant's onboarding")
  .option(
    '--server <host:port>',
    "query this server instead of the zone's authoritative ones; can be repeated",
    (server: string, others: readonly string[] | undefined) => [...(others ?? []), server],
  )
  .addOption(jsonOption())
  .option(
    '--data <dir>',
    `data folder of the local deployment with this tenant and its DNS (default with --tenant: "${DATA_DEFAULT}")`,
  )
  .action(async (domain: string, options: DnsCheckOptions) => {
    const { dnsCheck } = await import('./dns-check/dns-check.ts');
    await exitWith(dnsCheck(domain, options, { ...processContext, stdin: process.stdin, dataDefault: DATA_DEFAULT }));
  });

addAgentsMdCommands(program);

program
  .command('setup')
  .description('create the Temporal Namespace, its Search Attributes and the databases; safe to repeat')
  .addOption(
    new Option('--retention-days <days>', 'retention of closed Workflows, if the Namespace is created')
      .default(RETENTION_DAYS_DEFAULT)
      .argParser(retentionDays),
  )
  .addOption(
    new Option(
      '--provider <name>',
      "instead, show what the operator's account at this provider needs once: the webhook to SENDOFF_PUBLIC_URL",
    ).choices(providerNames),
  )
  .option('--apply', 'with --provider: do what it shows')
  .option('--remove', 'with --provider: delete that webhook')
  .option('--replace <url>', 'with --provider: delete the webhook of an earlier SENDOFF_PUBLIC_URL')
  .option('--secret-file <file>', 'with --provider: write the signing secret to this new file instead of stdout')
  .addOption(jsonOption())
  .action(
    async ({
      provider,
      ...options
    }: SetupOptions & Omit<SetupProviderOptions, 'provider'> & { provider?: ProviderName }) => {
      if (provider !== undefined) {
        const { setUpProvider } = await import('./programs/setup-provider.ts');
        return exitWith(setUpProvider({ ...options, provider }, processContext));
      }
      if (options.apply ?? options.remove ?? options.replace ?? options.secretFile)
        throw new CommandError('--apply, --remove, --replace and --secret-file need --provider');
      const { setup } = await import('./programs/setup.ts');
      return exitWith(setup(options, processContext));
    },
  );

addDoctorCommand(program);
addConformanceCommand(program);
addDatabaseCommands(program);
addDeploymentCommands(program);

program
  .command('completion')
  .description('print a script that completes commands and options in a shell')
  .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(completionScripts)))
  .addHelpText('after', '\nLoad it from the start-up file of the shell, as the first lines of the script say.')
  .action((shell: keyof typeof completionScripts) => {
    process.stdout.write(completionScripts[shell]);
  });

program
  .command('__complete [words...]', { hidden: true })
  .allowUnknownOption()
  .helpOption(false)
  .action((words: string[]) => {
    process.stdout.write(offerFor(program, words).join('\n'));
  });

for (const [name, description] of [
  ['start', 'run `sendoff server` and `sendoff worker` in one process'],
  ['server', 'run the HTTP API for the backend'],
  ['worker', 'run the Workflows and Activities of onboardings and checks'],
] as const) {
  program
    .command(name)
    .description(`${description}; configured by environment variables or .env`)
    .action(async () => {
      const { runProgram } = await import('./programs/run-program.ts');
      await exitWith(runProgram(name, process.env));
    });
}

program
  .command('email-service')
  .description('run the email service; configured by environment variables or .env')
  .addOption(
    new Option(
      '--role <role>',
      'answer the HTTP API, deliver, or both; any number of each (default: EMAIL_SERVICE_ROLE)',
    ).choices(['all', 'http', 'worker'] satisfies EmailServiceRole[]),
  )
  .action(async ({ role }: { role?: EmailServiceRole }) => {
    const { runProgram } = await import('./programs/run-program.ts');
    const environment = role === undefined ? process.env : { ...process.env, EMAIL_SERVICE_ROLE: role };
    await exitWith(runProgram('email-service', environment));
  });

program
  .command('codec-server')
  .description('decrypt what SENDOFF_PAYLOAD_KEYS encrypts, for the Temporal UI and CLI')
  .action(async () => {
    const { runCodecServer } = await import('./programs/codec-server.ts');
    await exitWith(runCodecServer(process.env));
  });

// Variables that are set win over the .env file of the working directory. A local deployment has its own settings, and a
// .env for the programs must not change them.
program.hook('preAction', (_program, command) => {
  if (!['demo', 'dev', 'publish', 'completion', '__complete'].includes(command.name())) loadEnvFile();
});

function loadEnvFile(): void {
  if (!existsSync('.env')) return;
  try {
    // Node's error for a folder names neither the file nor the reason.
    readFileSync('.env');
    process.loadEnvFile('.env');
  } catch (error) {
    throw unreadableFile('.env', error);
  }
}

function retentionDays(value: string): number {
  const days = Number(value);
  if (Number.isInteger(days) && days >= 1 && days <= RETENTION_DAYS_MAX) return days;
  throw new InvalidArgumentError(`Use whole days from 1 to ${String(RETENTION_DAYS_MAX)}.`);
}

function exitCodesHelp(): string {
  const ends = Object.entries(onboardingExitCodes).map(([end, code]) => `  ${String(code).padEnd(3)} ${end}`);
  return [
    'Exit codes:',
    `  ${String(ExitCode.done).padEnd(3)} done`,
    `  ${String(ExitCode.failed).padEnd(3)} the command failed; the reason is on stderr`,
    `  ${String(ExitCode.usage).padEnd(3)} the command line is invalid`,
    "  outcome of an onboarding ('onboard', 'restart' and 'status'):",
    ...ends,
    "  'agents-md' has different codes: see sendoff agents-md --help",
  ].join('\n');
}

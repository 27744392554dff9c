import { userInfo } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { Exit } from '../../onboarding/failures.ts';
import { EXTENSION_HOURS_MIN } from '../../onboarding/extension-fault.ts';
import { UndoScope, VERIFICATION_WINDOW_DEFAULT, VERIFICATION_WINDOW_HOURS_MAX } from '../../onboarding/input.ts';
import { onboardingOutcomes } from '../../onboarding/onboarding-record.ts';
import { Stage } from '../../onboarding/stage.ts';
import { exitWith, processContext } from '../command-context.ts';
import { DATA_DEFAULT, dataOption, jsonOption, type LocalOptions, wholeNumberArgument } from '../common-options.ts';
import { checkNowExitCodes } from '../exit-codes.ts';
import { CommandError } from '../command-error.ts';
import type { CheckNowOptions } from './check-now.ts';
import type { ClaimOptions } from './claim-api-key.ts';
import type { ChangeOptions, ReasonedOptions } from './change-onboarding.ts';
import type { ListOptions } from './list-onboardings.ts';
import type { OnboardOptions, RestartOptions } from './run-onboarding.ts';

/** Adds the commands that start, show and change onboardings. Each prints JSON on request, and finds a local deployment by its data. */
export function addOnboardingCommands(program: Command): void {
  const others = program.commands.length;
  addStart(program);
  addShow(program);
  addChange(program);
  addSetupLink(program);
  addMute(program);
  for (const command of program.commands.slice(others))
    command.addOption(jsonOption()).addOption(dataOption().default(DATA_DEFAULT));
}

const load = () => import('./run-onboarding.ts');
const loadChange = () => import('./change-onboarding.ts');

const windowOption = (): Option =>
  new Option(
    '--verification-window <duration>',
    `time for the tenant to publish the DNS records, such as 3d (default: "${VERIFICATION_WINDOW_DEFAULT}")`,
  );
const undoOption = (): Option =>
  new Option('--undo <scope>', 'what a failure or cancellation undoes').choices(Object.keys(UndoScope));
const byOption = (who = 'who asks'): Option =>
  new Option('--by <name>', `${who}, for the audit events`).default(userName(), 'the user of the operating system');

function addStart(program: Command): void {
  program
    .command('onboard')
    .description('start the onboarding of a tenant and follow it to its end')
    .requiredOption('--tenant <id>', "the backend's ID of the tenant")
    .requiredOption('--domain <name>', 'the sending domain; internationalized names in their xn-- form')
    .requiredOption(
      '--from <address>',
      'sender of the first email, an address on the domain: hello@acme.com or "Acme <hello@acme.com>"',
    )
    .requiredOption('--to <address>', 'recipient of the first email')
    .requiredOption('--subject <text>', 'subject of the first email')
    .requiredOption('--body <text>', 'text of the first email')
    .addOption(windowOption())
    .addOption(undoOption())
    .option('--restart', 'start again after a finished onboarding; replaces its API key and its webhook')
    .addOption(byOption('who restarts'))
    .option('--no-follow', 'return once the onboarding has started')
    .action(async (options: OnboardOptions) => exitWith((await load()).onboard(options, processContext.environment)));

  program
    .command('restart <tenant>')
    .description(
      'start the onboarding of a tenant again after its end, and follow it; replaces its API key and webhook',
    )
    .requiredOption('--subject <text>', 'subject of the first email')
    .requiredOption('--body <text>', 'text of the first email')
    .option('--domain <name>', 'the sending domain (default: that of the last onboarding)')
    .option('--from <address>', 'sender of the first email, as for onboard (default: that of the last onboarding)')
    .option('--to <address>', 'recipient of the first email (default: that of the last onboarding)')
    .addOption(windowOption())
    .addOption(undoOption())
    .addOption(byOption())
    .option('--no-follow', 'return once the onboarding has started')
    .action(async (tenantId: string, options: RestartOptions) =>
      exitWith((await load()).restart(tenantId, options, processContext.environment)),
    );
}

const written = (text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });

function addShow(program: Command): void {
  filterOptions(program.command('list'))
    .description('list the onboardings that meet every given condition, the latest start first')
    .addOption(new Option('--outcome <outcome>', 'how it ended, or running').choices(onboardingOutcomes))
    .addOption(new Option('--exit <exit>', 'failed with this exit').choices(Object.values(Exit)))
    .addOption(new Option('--limit <count>', 'of one page, up to 100 (default: 50)').argParser(wholeNumberArgument))
    .option('--cursor <cursor>', 'continue after the page that printed this cursor')
    .option('--all', 'every page')
    .action(async (options: ListOptions) => {
      const { listOnboardings } = await import('./list-onboardings.ts');
      await exitWith(listOnboardings(options, processContext));
    });

  program
    .command('status <tenant>')
    .description('show the onboarding of a tenant: what is wrong, what to do, and what it waits for')
    .option('--watch', 'show each change until the onboarding has ended; exits with the code of its outcome')
    .action(async (tenantId: string, options: LocalOptions & { watch?: boolean }) =>
      exitWith((await load()).status(tenantId, options, processContext.environment)),
    );
}

function addChange(program: Command): void {
  filterOptions(program.command('check-now [tenant]'))
    .description('check the DNS of a waiting tenant now; with --all, that of every waiting tenant, ten per second')
    .option('--all', 'check every tenant that meets the conditions; without conditions, all in stage awaitingDomain')
    .addOption(byOption())
    .addHelpText('after', `\n${CHECK_NOW_EXIT_CODES}`)
    .action(async (tenantId: string | undefined, options: CheckNowOptions) => {
      const { checkAll, checkNow } = await import('./check-now.ts');
      if ((tenantId === undefined) !== (options.all === true)) throw new CommandError('Give one tenant, or --all');
      await exitWith(
        tenantId === undefined ? checkAll(options, processContext) : checkNow(tenantId, options, processContext),
      );
    });

  program
    .command('extend <tenant>')
    .description('extend the verification window of a waiting tenant')
    .addOption(
      new Option('--hours <hours>', 'added to the deadline; the window lasts at most 30 days, extensions included')
        .argParser(hours)
        .makeOptionMandatory(),
    )
    .requiredOption('--reason <text>', 'kept in the audit events and in the Event History')
    .addOption(byOption())
    .action(async (tenantId: string, options: ReasonedOptions & { hours: number }) =>
      exitWith((await loadChange()).extendWindow(tenantId, options, processContext)),
    );

  program
    .command('release-email <tenant>')
    .description("let a first email be sent once more that an operator's account may or may not have accepted")
    .requiredOption('--reason <text>', 'what you saw at the provider; kept in the audit events')
    .addOption(byOption())
    .action(async (tenantId: string, options: ReasonedOptions) =>
      exitWith((await loadChange()).releaseEmail(tenantId, options, processContext)),
    );

  program
    .command('cancel <tenant>')
    .description('cancel the onboarding of a tenant and wait until its undo has finished')
    .addOption(byOption())
    .action(async (tenantId: string, options: LocalOptions & { by: string }) =>
      exitWith((await load()).cancel(tenantId, options, processContext.environment)),
    );

  program
    .command('claim <tenant>')
    .description("print the tenant's API token, once; sendoff then forgets it")
    .option('--key-file <file>', 'write the token to this new file instead, readable by its owner only')
    .addOption(byOption())
    .action(async (tenantId: string, options: ClaimOptions) => {
      const { claimApiKey } = await import('./claim-api-key.ts');
      await exitWith(claimApiKey(tenantId, options, { ...processContext, write: written }));
    });
}

function addSetupLink(program: Command): void {
  program
    .command('setup-link <tenant>')
    .description('print a link to the setup page of a tenant, for the person who manages its DNS')
    .option('--revoke', 'revoke every link of the tenant instead')
    .addOption(byOption())
    .action(async (tenantId: string, options: ChangeOptions & { revoke?: boolean }) => {
      const { createSetupLink, revokeSetupLinks } = await loadChange();
      const run = options.revoke === true ? revokeSetupLinks : createSetupLink;
      await exitWith(run(tenantId, options, processContext));
    });
}

function addMute(program: Command): void {
  const purpose = "the record's purpose in 'status', such as dkim or spf";
  program
    .command('mute')
    .description('leave a required record of a verified domain out of its checks; a drift with no other cause ends')
    .argument('<tenant>')
    .argument('<purpose>', purpose)
    .requiredOption('--reason <text>', "why its defects do not count; 'status' shows it")
    .addOption(byOption())
    .action(async (tenantId: string, purpose: string, options: ReasonedOptions) =>
      exitWith((await loadChange()).muteRecord(tenantId, purpose, options, processContext)),
    );

  program
    .command('unmute')
    .description('let a muted record of a verified domain count again; the next sweep checks the domain')
    .argument('<tenant>')
    .argument('<purpose>', purpose)
    .addOption(byOption())
    .action(async (tenantId: string, purpose: string, options: ChangeOptions) =>
      exitWith((await loadChange()).unmuteRecord(tenantId, purpose, options, processContext)),
    );
}

const filterOptions = (command: Command): Command =>
  command
    .addOption(new Option('--stage <stage>', 'in this stage').choices(Object.values(Stage)))
    .option('--needs-attention', "a definite mistake in the tenant's DNS was found")
    .option('--stuck', 'its Workflow Task fails again and again, so nothing proceeds')
    .option('--finding <code>', 'with this finding at the last check of any record')
    .option('--waiting-longer-than <duration>', 'running, and in its stage for longer than this, such as 24h')
    .option(
      '--search <text>',
      'the beginning of the tenant ID, of the domain, or of the domain without its first label',
    );

const CHECK_NOW_EXIT_CODES = [
  'Exit codes:',
  `  ${checkNowExitCodes.verified}   the domain is verified; with --all: every check was carried out`,
  `  ${checkNowExitCodes.failed}   a check was not carried out`,
  `  ${checkNowExitCodes.notVerified}  the domain is not verified yet`,
  `  ${checkNowExitCodes.begun}  a check has begun and has no result yet; status shows it`,
].join('\n');

/** The user of the operating system; a container's user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

function hours(value: string): number {
  const number = Number(value);
  if (value.trim() !== '' && number >= EXTENSION_HOURS_MIN && number <= VERIFICATION_WINDOW_HOURS_MAX) return number;
  throw new InvalidArgumentError(`Use a number from ${EXTENSION_HOURS_MIN} to ${VERIFICATION_WINDOW_HOURS_MAX}.`);
}

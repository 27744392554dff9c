import { type Command, Option } from 'commander';
import { UndoScope, VERIFICATION_WINDOW_DEFAULT } from '../../onboarding/input.ts';
import { DATA_DEFAULT, dataOption, jsonOption } from '../common-options.ts';
import type { OnboardOptions, TenantOptions } from './run-onboarding.ts';

export interface OnboardingContext {
  readonly environment: NodeJS.ProcessEnv;
  /** Ends the program with the exit code of the command. */
  readonly exitWith: (command: Promise<number>) => Promise<void>;
}

/** Adds `onboard`, `status` and `cancel`. */
export function addOnboardingCommands(program: Command, { environment, exitWith }: OnboardingContext): void {
  const load = () => import('./run-onboarding.ts');

  program
    .command('onboard')
    .description('start the onboarding of a tenant and follow it to its end')
    .requiredOption('--tenant <id>', "the backend's id of the tenant")
    .requiredOption('--domain <name>', 'the sending domain; internationalized names in their xn-- form')
    .requiredOption('--from <address>', 'sender of the first email, an address on the domain')
    .requiredOption('--to <address>', 'recipient of the first email')
    .requiredOption('--subject <text>', 'subject of the first email')
    .requiredOption('--body <text>', 'text of the first email')
    .option(
      '--verification-window <duration>',
      `time for the tenant to publish the DNS records, such as 3d (default: "${VERIFICATION_WINDOW_DEFAULT}")`,
    )
    .addOption(new Option('--undo <scope>', 'what a failure or cancellation undoes').choices(Object.keys(UndoScope)))
    .option('--restart', 'start again after a finished onboarding; replaces its API key and its webhook')
    .option('--no-follow', 'return once the onboarding has started')
    .addOption(jsonOption())
    .addOption(dataOption().default(DATA_DEFAULT))
    .action(async (options: OnboardOptions) => exitWith((await load()).onboard(options, environment)));

  for (const [action, description] of [
    ['status', 'show the onboarding of a tenant'],
    ['cancel', 'cancel the onboarding of a tenant and wait until its undo has finished'],
  ] as const) {
    program
      .command(`${action} <tenant>`)
      .description(description)
      .addOption(jsonOption())
      .addOption(dataOption().default(DATA_DEFAULT))
      .action(async (tenantId: string, options: TenantOptions) =>
        exitWith((await load())[action](tenantId, options, environment)),
      );
  }
}

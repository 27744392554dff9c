import { type Command, Option } from 'commander';
import { jsonOption } from '../common-options.ts';
import type { DatabaseCommandContext, DatabaseCommandOptions, ProgramName } from './program-databases.ts';

export interface DatabaseCommandsContext {
  readonly environment: NodeJS.ProcessEnv;
  /** Ends the program with the exit code of the command. */
  readonly exitWith: (command: Promise<number>) => Promise<void>;
}

/** Adds `secrets` with its commands. */
export function addDatabaseCommands(program: Command, { environment, exitWith }: DatabaseCommandsContext): void {
  const context: DatabaseCommandContext = {
    environment,
    write: (text) => void process.stdout.write(text),
    progress: process.stderr,
  };

  const secrets = program.command('secrets').description('the encrypted secrets in the databases of both programs');
  secrets
    .command('reseal')
    .description(
      'encrypt every stored secret with the first key of SENDOFF_SECRET_KEY and EMAIL_SERVICE_ENCRYPTION_KEY; programs may run; safe to repeat; exits 1 while a secret needs another key',
    )
    .addOption(onlyOption())
    .addOption(jsonOption())
    .action(async (options: DatabaseCommandOptions) => {
      const { resealSecrets } = await import('./reseal-secrets.ts');
      await exitWith(resealSecrets(options, context));
    });
}

const onlyOption = (): Option =>
  new Option('--only <program>', 'the database of one program').choices([
    'orchestrator',
    'email-service',
  ] satisfies ProgramName[]);

import { type Command, Option } from 'commander';
import { exitWith, processContext } from '../command-context.ts';
import { jsonOption } from '../common-options.ts';
import type { CopyStoreOptions } from './copy-store.ts';
import type { MigrateOptions } from './migrate.ts';
import type { ReconcileOptions } from './reconcile.ts';
import type { UseNamespaceOptions } from './use-namespace.ts';
import type { DatabaseCommandContext, DatabaseCommandOptions, DatabaseProgram } from './program-databases.ts';

/** Adds `migrate`, `reconcile`, `secrets` and `store` with their commands. */
export function addDatabaseCommands(program: Command): void {
  const context: DatabaseCommandContext = { ...processContext, progress: process.stderr };

  program
    .command('migrate')
    .description(
      'apply the pending migrations to the databases of the settings; a step of its own on PostgreSQL, where programs only check them; safe to repeat, and to run several at once',
    )
    .addOption(onlyOption())
    .option('--check', 'change nothing; exit 1 if a migration is pending')
    .addOption(jsonOption())
    .action(async (options: MigrateOptions) => {
      const { migrate } = await import('./migrate.ts');
      await exitWith(migrate(options, context));
    });

  program
    .command('reconcile')
    .description(
      'compare the register with Temporal, as after a restore of an older database or the loss of a Namespace; programs may run; changes nothing without --apply; exits 1 while a difference is left',
    )
    .option('--apply', 'repair what differs: start again, put into the register, record ends')
    .addOption(
      new Option(
        '--claims <decision>',
        'API tokens that may have been claimed after the backup: let them be claimed again, or revoke their keys',
      ).choices(['accept', 'revoke'] satisfies NonNullable<ReconcileOptions['claims']>[]),
    )
    .addOption(jsonOption())
    .action(async (options: ReconcileOptions) => {
      const { reconcile } = await import('./reconcile.ts');
      await exitWith(reconcile(options, context));
    });

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

  const store = program.command('store').description('the databases of both programs');
  store
    .command('copy')
    .description(
      'copy the data of a program to another database, such as from a SQLite file to PostgreSQL; stop all programs first; run it again to continue after an interruption',
    )
    .requiredOption('--from <url>', 'database to copy: file:PATH or postgres://…')
    .requiredOption('--to <url>', 'migrated database without data')
    .addOption(onlyOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nSENDOFF_DATABASE_PASSWORD_FILE and EMAIL_SERVICE_DATABASE_PASSWORD_FILE hold the password of a URL without one.',
    )
    .action(async (options: CopyStoreOptions) => {
      const { copyStore } = await import('./copy-store.ts');
      await exitWith(copyStore(options, context));
    });
  store
    .command('use-namespace')
    .description(
      'make the databases of the settings belong to the Temporal Namespaces of the settings: for a move on purpose, and after a Namespace was lost; stop all programs first',
    )
    .addOption(onlyOption())
    .addOption(
      new Option(
        '--end-running',
        'record onboardings that run in the previous Namespace as terminated; nothing is undone',
      ).conflicts('keepRunning'),
    )
    .option('--keep-running', 'keep their records as running: sendoff reconcile --apply starts them again here')
    .addOption(jsonOption())
    .action(async (options: UseNamespaceOptions) => {
      const { useNamespace } = await import('./use-namespace.ts');
      await exitWith(useNamespace(options, context));
    });
}

const onlyOption = (): Option =>
  new Option('--only <program>', 'the database of one program').choices([
    'orchestrator',
    'email-service',
  ] satisfies DatabaseProgram[]);

import { counted } from '../../lib/counted.ts';
import { ExitCode } from '../exit-codes.ts';
import {
  chosenDatabases,
  type DatabaseCommandContext,
  type DatabaseCommandOptions,
  type ProgramDatabase,
} from './program-databases.ts';

export interface MigrateOptions extends DatabaseCommandOptions {
  /** Only reports what is pending. */
  readonly check?: boolean;
}

interface Migrated extends Pick<ProgramDatabase, 'program' | 'setting' | 'url'> {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** Migrations of a later version. */
  readonly unknown: readonly string[];
  /** Whether programs of this version start with it. */
  readonly usable: boolean;
}

/**
 * Applies the pending migrations to the databases of the settings. Resolves with the exit code: 1 if programs of this version
 * would not start with one of them.
 */
export async function migrate(options: MigrateOptions, context: DatabaseCommandContext): Promise<number> {
  const databases = chosenDatabases(options, context.environment);
  const results: Migrated[] = [];
  for (const database of databases) results.push(await migrateOne(database, options.check === true));
  const complete = results.every(({ usable }) => usable);
  if (options.json === true) context.write(`${JSON.stringify({ complete, databases: results })}\n`);
  else context.write(`${results.map(describe).join('\n')}\n`);
  return complete ? ExitCode.done : ExitCode.failed;
}

async function migrateOne(target: ProgramDatabase, check: boolean): Promise<Migrated> {
  const { program, setting, url } = target;
  const applied = check ? [] : await target.migrate();
  const { database, pending, unknown } = await target.inspect();
  await database.destroy();
  const usable = pending.length === 0 && (unknown.length === 0 || target.kind === 'postgres');
  return { program, setting, url, applied, pending, unknown, usable };
}

function describe({ setting, url, applied, pending, unknown, usable }: Migrated): string {
  return [
    `${setting}, ${url}`,
    ...(applied.length > 0 ? [`  applied ${counted(applied.length, 'migration')}: ${applied.join(', ')}`] : []),
    ...(pending.length > 0 ? [`  lacks ${counted(pending.length, 'migration')}: ${pending.join(', ')}`] : []),
    ...(unknown.length > 0
      ? [`  a later version has migrated it: ${unknown.join(', ')}${usable ? '' : '. Start that version'}`]
      : []),
    ...(applied.length + pending.length + unknown.length === 0 ? ['  up to date'] : []),
  ].join('\n');
}

import { existsSync } from 'node:fs';
import type { Kysely } from 'kysely';
import { counted } from '../../lib/counted.ts';
import { type DatabaseLocation, parseDatabaseUrl, shownDatabaseUrl } from '../../lib/database-url.ts';
import { type CopiedDatabase, copyDatabase, CopyError } from '../../lib/sql/copy-database.ts';
import { ForeignDatabaseError } from '../../lib/sql/refuse-foreign-tables.ts';
import { hasTable } from '../../lib/sql/sql-database.ts';
import { COPY_APPLICATION_NAME, hasOtherPrograms, isFileOpen, withoutWriters } from '../../lib/sql/other-programs.ts';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-codes.ts';
import {
  type DatabaseCommandContext,
  type DatabaseCommandOptions,
  databaseAt,
  type ProgramDatabase,
  programNames,
  withDatabase,
} from './program-databases.ts';
import { createProgressLine } from '../progress-line.ts';

export interface CopyStoreOptions extends DatabaseCommandOptions {
  readonly from: string;
  readonly to: string;
}

interface Copied extends CopiedDatabase {
  readonly program: ProgramDatabase['program'];
  readonly from: string;
  readonly to: string;
  /** The other things that the programs need before they start with the copy. */
  readonly next: readonly string[];
}

/**
 * Copies the databases of the programs that the source holds. No program may run. Resolves with the exit code. Can be repeated after
 * an interruption.
 */
export async function copyStore(options: CopyStoreOptions, context: DatabaseCommandContext): Promise<number> {
  const sources = await sourcesOf(options, context);
  const results: Copied[] = [];
  for (const from of sources) {
    const to = databaseAt(from.program, options.to, context.environment, connection);
    results.push(await copyOne(from, to, context));
  }
  if (options.json === true) context.write(`${JSON.stringify({ complete: true, databases: results })}\n`);
  else context.write(`${results.map(describe).join('\n')}\n`);
  return ExitCode.done;
}

const connection = { applicationName: COPY_APPLICATION_NAME, statementTimeoutMs: 0 } as const;

/** The programs whose tables are in the source: a file holds those of one. */
async function sourcesOf(
  { from, to, only }: CopyStoreOptions,
  { environment }: DatabaseCommandContext,
): Promise<readonly ProgramDatabase[]> {
  for (const [option, url] of Object.entries({ '--from': from, '--to': to })) {
    const location = locationOf(option, url);
    if (location.kind === 'sqlite' && isFileOpen(location.path)) throw inUse(url);
  }
  const candidates = (only === undefined ? programNames : [only]).map((program) =>
    databaseAt(program, from, environment, connection),
  );
  const sources: ProgramDatabase[] = [];
  for (const candidate of candidates) if (await isHeld(candidate)) sources.push(candidate);
  const [first, second] = sources;
  if (first === undefined)
    throw new CommandError(`${shownDatabaseUrl(from)} holds no tables of ${only ?? 'either program'}`);
  if (second !== undefined && first.kind === 'postgres' && parseDatabaseUrl(to).kind === 'sqlite')
    throw new CommandError(
      `${shownDatabaseUrl(from)} holds the tables of both programs, and a file holds those of one: add --only orchestrator or --only email-service`,
    );
  return sources;
}

function locationOf(option: string, url: string): DatabaseLocation {
  try {
    return parseDatabaseUrl(url);
  } catch (error) {
    throw new CommandError(`${option} must be ${error instanceof Error ? error.message : String(error)}`);
  }
}

const inUse = (shownUrl: string): CommandError =>
  new CommandError(`${shownUrl} is open in another program: stop all programs first`);

async function isHeld(source: ProgramDatabase): Promise<boolean> {
  const [first] = source.tables;
  try {
    return await withDatabase(source, async ({ database }) => first !== undefined && hasTable(database, first.name));
  } catch (error) {
    if (error instanceof ForeignDatabaseError) return false;
    throw error;
  }
}

function copyOne(
  source: ProgramDatabase,
  target: ProgramDatabase,
  { progress }: DatabaseCommandContext,
): Promise<Copied> {
  const { program, tables } = source;
  const line = createProgressLine(progress);
  return withCurrent(source, async (database) => {
    try {
      const copied = await withCurrent(target, (to) =>
        withoutWriters(database, [...tables.map(({ name }) => name), 'installation'], (from) =>
          copyDatabase({
            ...{ from, to, tables },
            onProgress: ({ what, table, rows }) => {
              line.show(`${program}: ${counted(rows, 'row')} of ${table} ${what}`);
            },
          }),
        ),
      );
      return { program, from: source.url, to: target.url, ...copied, next: nextSteps(source, target) };
    } catch (error) {
      if (error instanceof CopyError)
        throw new CommandError(`${source.url} was not copied to ${target.url}: ${error.message}`);
      if (error instanceof CommandError) throw error;
      throw new CommandError(
        `${source.url} was not copied completely to ${target.url}. Run the command again once the cause is removed: it continues`,
        { cause: error },
      );
    } finally {
      line.clear();
    }
  });
}

/** Refuses a database that another process has open, or whose schema is not that of this version. */
async function withCurrent<Result>(
  target: ProgramDatabase,
  use: (database: Kysely<unknown>) => Promise<Result>,
): Promise<Result> {
  const { database, pending, unknown } = await target.inspect();
  try {
    if (unknown.length > 0)
      throw new CommandError(`${target.url} was migrated by a later version: ${unknown.join(', ')}. Use that version`);
    if (pending.length > 0)
      throw new CommandError(
        `${target.url} lacks ${counted(pending.length, 'migration')}: ${pending.join(', ')}. Set ${target.setting} to it and run: sendoff migrate --only ${target.program}`,
      );
    if (await hasOtherPrograms(database)) throw inUse(target.url);
    return await use(database);
  } finally {
    await database.destroy();
  }
}

function nextSteps(source: ProgramDatabase, target: ProgramDatabase): readonly string[] {
  const tokenFile = `${source.url.replace(/^file:/, '')}.operator-token`;
  const hasTokenFile = source.program === 'email-service' && source.kind === 'sqlite' && existsSync(tokenFile);
  return [
    ...(hasTokenFile ? [`set EMAIL_SERVICE_OPERATOR_TOKEN to the content of ${tokenFile}, unless it is set`] : []),
    `set ${target.setting} to ${target.url} and start the programs; never start one with ${source.url} again`,
  ];
}

const beginnings = {
  fresh: [],
  continued: ['continued a copy that was interrupted'],
  restarted: ['the source had changed since an interrupted copy: copied everything again'],
} as const;

function describe({ program, from, to, installationId, began, tables, next }: Copied): string {
  return [
    `${program}: ${from} → ${to}`,
    ...beginnings[began].map((text) => `  ${text}`),
    ...tables.map(({ name, rows, checksum }) => `  ${name}: ${counted(rows, 'row')}, sha256 ${checksum.slice(0, 16)}…`),
    `  counts and checksums of both are equal; installation ${installationId}`,
    ...next.map((text) => `  next: ${text}`),
  ].join('\n');
}

import { counted } from '../../lib/counted.ts';
import { countByKey, type KeyCounts, reseal } from '../../lib/sql/sealed-columns.ts';
import { OPEN_AFTER_END } from '../../store/onboarding/setup-link-expiry.ts';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-codes.ts';
import {
  chosenDatabases,
  type DatabaseCommandContext,
  type DatabaseCommandOptions,
  type ProgramDatabase,
  withDatabase,
} from './program-databases.ts';
import { createProgressLine } from '../progress-line.ts';

interface Resealed extends KeyCounts, Pick<ProgramDatabase, 'program' | 'url'> {
  /** The setting with the keys. */
  readonly setting: string;
  readonly resealed: number;
  /** For each key how many open setup links it signed: they were sent out, and cannot be signed again. */
  readonly openLinks: readonly number[];
  /** The positions of keys that decrypt nothing any more, from 2. */
  readonly removableKeys: readonly number[];
}

/**
 * Encrypts the stored secrets of the chosen programs with their first key. Resolves with the exit code: 1 if a secret still needs
 * another key, or no key decrypts it.
 */
export async function resealSecrets(options: DatabaseCommandOptions, context: DatabaseCommandContext): Promise<number> {
  // Reads all settings before the first change.
  const databases = chosenDatabases(options, context.environment).map((database) => ({
    ...database,
    configuredKeys: database.keys.read(),
  }));
  const results: Resealed[] = [];
  for (const database of databases) results.push(await resealOne(database, database.configuredKeys, context));
  const complete = results.every(({ total, openedBy }) => openedBy[0] === total);
  if (options.json === true) context.write(`${JSON.stringify({ complete, databases: results })}\n`);
  else context.write(`${results.map(describe).join('\n')}\n`);
  return complete ? ExitCode.done : ExitCode.failed;
}

function resealOne(
  target: ProgramDatabase,
  keys: readonly Buffer[],
  context: DatabaseCommandContext,
): Promise<Resealed> {
  const { program, url, sealedColumns, openLinksByKey } = target;
  const { setting } = target.keys;
  const line = createProgressLine(context.progress);
  return withDatabase(target, async ({ database, pending }) => {
    if (pending.length > 0)
      throw new CommandError(`${url} lacks migrations: ${pending.join(', ')}. Apply them first: sendoff migrate`);
    const resealed = await reseal(database, sealedColumns, keys, (read, renewed) => {
      line.show(`${setting}: ${counted(read, 'secret')} read, ${renewed} encrypted again`);
    });
    // Programs may have stored others meanwhile.
    const counts = await countByKey(database, sealedColumns, keys, (checked) => {
      line.show(`${setting}: ${counted(checked, 'secret')} verified`);
    });
    const openLinks = await openLinksByKey(database, keys);
    const removableKeys = counts.openedBy.flatMap((count, index) =>
      index > 0 && count === 0 && openLinks[index] === 0 ? [index + 1] : [],
    );
    return { program, url, setting, resealed, ...counts, openLinks, removableKeys };
  }).finally(() => {
    line.clear();
  });
}

function describe({ setting, url, resealed, total, openedBy, unopened, openLinks, removableKeys }: Resealed): string {
  const stale = openedBy.slice(1).reduce((sum, count) => sum + count, 0);
  const lost = Object.entries(unopened).map(([holds, count]) => `${holds} (${count})`);
  return [
    `${setting}, ${url}`,
    `  encrypted again: ${resealed} of ${counted(total, 'secret')}`,
    ...openedBy.map((count, index) => `  key ${index + 1} decrypts ${count}`),
    ...openLinks.flatMap((links, index) =>
      index > 0 && links > 0
        ? [
            `  key ${index + 1} is still needed: ${counted(links, 'setup link')} that it signed open until ${OPEN_AFTER_END} after the end of their onboardings; keep it until then, or revoke them and send new ones`,
          ]
        : [],
    ),
    ...(lost.length > 0
      ? [`  no key decrypts ${lost.join(', ')}: add the key that encrypted them to ${setting}, and run this again`]
      : []),
    ...(stale > 0
      ? [`  a program has stored secrets with an older key: restart it with key 1 as the first, and run this again`]
      : []),
    ...(removableKeys.length > 0
      ? [`  no secret needs key ${removableKeys.join(', ')}: remove it from ${setting}, but keep it for older backups`]
      : []),
  ].join('\n');
}

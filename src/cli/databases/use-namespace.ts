import type { Connection } from '@temporalio/client';
import { readBackgroundNamespace } from '../../background-namespace.ts';
import type { Kysely } from 'kysely';
import { endOfMissing } from '../../client/onboarding/ended-onboardings.ts';
import {
  findNamespaceHolder,
  leaveInstallation,
  orchestratorSettings,
  otherInstallation,
} from '../../client/upkeep/join-installation.ts';
import { settingsTable } from '../../config.ts';
import { emailServiceProgram, leaveNamespace } from '../../email-service/background/join-namespace.ts';
import { readEmailServiceNamespace } from '../../email-service/email-service-namespace.ts';
import { emailServiceNames } from '../../email-service/workflows/email-service-names.ts';
import { counted } from '../../lib/counted.ts';
import { readSome } from '../../lib/settings.ts';
import { installationIdOf } from '../../lib/sql/installation-id.ts';
import {
  isNamespaceOf,
  keepNamespace,
  type RecognizedNamespace,
  recognizeNamespace,
} from '../../lib/temporal/recognize-namespace.ts';
import { createClient } from '../../lib/temporal/create-client.ts';
import { readTemporalConfig } from '../../lib/temporal/temporal-config.ts';
import { withConnection } from '../../lib/temporal/with-connection.ts';
import type { Database } from '../../store/database.ts';
import { runningTenantPages } from '../../store/onboarding/running-tenants.ts';
import { createSqlRegister } from '../../store/onboarding/sql-register.ts';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-codes.ts';
import {
  chosenDatabases,
  type DatabaseCommandContext,
  type DatabaseCommandOptions,
  type ProgramDatabase,
  withDatabase,
} from './program-databases.ts';

export interface UseNamespaceOptions extends DatabaseCommandOptions {
  /** Records the onboardings that run in the previous Namespace as terminated. */
  readonly endRunning?: boolean;
  /** Leaves their records as they are, for `sendoff reconcile`. */
  readonly keepRunning?: boolean;
}

interface Moved extends Pick<ProgramDatabase, 'program' | 'url'> {
  readonly from: string | null;
  readonly to: string;
  /** Onboardings that were recorded as terminated. */
  readonly ended: number;
}

/**
 * Makes the databases of the settings belong to the Namespaces of the settings. What runs in the previous Namespace stays there. Resolves
 * with the exit code.
 */
export async function useNamespace(options: UseNamespaceOptions, context: DatabaseCommandContext): Promise<number> {
  const { environment, write } = context;
  const temporal = readTemporalConfig(environment);
  const databases: Moved[] = [];
  await withConnection(temporal.connectionOptions, async (connection) => {
    for (const target of chosenDatabases(options, environment))
      databases.push(await moveOne(target, { connection, temporal, options, environment }));
  });
  if (options.json === true) write(`${JSON.stringify({ databases })}\n`);
  else write(`${databases.map(describe).join('\n')}\n`);
  return ExitCode.done;
}

interface MoveContext {
  readonly connection: Connection;
  readonly temporal: ReturnType<typeof readTemporalConfig>;
  readonly options: UseNamespaceOptions;
  readonly environment: DatabaseCommandContext['environment'];
}

function moveOne(target: ProgramDatabase, context: MoveContext): Promise<Moved> {
  const { program, url } = target;
  const { connection, temporal, environment } = context;
  return withDatabase<Moved>(target, async ({ database, pending }) => {
    if (pending.length > 0) throw new CommandError(`${url} lacks migrations; apply them first: sendoff migrate`);
    const isOrchestrator = program === 'orchestrator';
    const namespace = isOrchestrator ? temporal.namespace : readEmailServiceNamespace(environment, temporal);
    const recognized = await recognizeNamespace({ database, connection, namespace });
    const ended = isOrchestrator ? await leaveOnboardings(database, recognized, url, context) : 0;
    await leaveBefore(target, database, recognized, context);
    const settings = isOrchestrator ? orchestratorSettings(url) : emailServiceProgram(url);
    await keepNamespace({ database, program: settings }, recognized);
    return { program, url, from: recognized.known?.namespace ?? null, to: namespace, ended };
  });
}

/** Ends the singletons in the previous Namespace, if this server has it; throws if other Workflows of the email service run there. */
async function leaveBefore(
  { program }: ProgramDatabase,
  database: Kysely<unknown>,
  { here, known, isSame }: RecognizedNamespace,
  { connection, temporal, environment }: MoveContext,
): Promise<void> {
  if (known === undefined || isSame || !(await isNamespaceOf(known, connection))) return;
  const { dataConverter } = temporal;
  if (program === 'orchestrator') {
    const used = [here.namespace, readBackgroundNamespace(environment, temporal)];
    const before = [known.namespace, readBackgroundNamespace(environment, { ...temporal, namespace: known.namespace })];
    for (const namespace of before.filter((each) => !used.includes(each)))
      if (await isNamespaceOf({ namespace }, connection))
        await leaveInstallation({ client: createClient({ connection, namespace, dataConverter }), database });
  } else {
    const names = emailServiceNames(await installationIdOf(database));
    await leaveNamespace(known.namespace, { connection, namespace: here.namespace, dataConverter, names });
  }
}

/** @returns how many onboardings were recorded as terminated */
async function leaveOnboardings(
  database: Database,
  { here, known, isSame }: RecognizedNamespace,
  databaseUrl: string,
  { connection, temporal, environment, options }: MoveContext,
): Promise<number> {
  const { endRunning = false, keepRunning = false } = options;
  const { namespace } = here;
  const client = createClient({ connection, namespace, dataConverter: temporal.dataConverter });
  const ownId = await installationIdOf(database);
  const holder = await findNamespaceHolder(client);
  if (holder !== undefined && holder.installationId !== ownId) {
    const { fault, remedy } = otherInstallation(holder, {
      ...{ namespace, ownId },
      ...orchestratorSettings(databaseUrl),
    });
    throw new CommandError([fault, ...remedy].join('\n'));
  }
  if (isSame || keepRunning) return 0;
  const { count } = await database
    .selectFrom('onboardings')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('outcome', '=', 'running')
    .executeTakeFirstOrThrow();
  if (count > 0 && !endRunning)
    throw new CommandError(
      `${counted(count, 'onboarding')} run in ${known?.namespace ?? 'the previous Namespace'} and cannot move; nothing was changed. Wait until they have ended or cancel them there; or add --keep-running, after which sendoff reconcile --apply starts them again here, or --end-running to record them as terminated: nothing of theirs is undone.`,
    );
  const { SENDOFF_NOTIFICATION_URL } = readSome(settingsTable, ['SENDOFF_NOTIFICATION_URL'], environment);
  // The sweep of the next start delivers the notifications.
  const register = createSqlRegister(database, { notify: SENDOFF_NOTIFICATION_URL !== undefined });
  let ended = 0;
  for await (const page of runningTenantPages(database)) {
    for (const tenantId of page) {
      const record = await register.get(tenantId);
      if (record?.outcome !== 'running') continue;
      await register.end(endOfMissing(record));
      ended += 1;
    }
  }
  return ended;
}

function describe({ url, from, to, ended }: Moved): string {
  const before = from === null || from === to ? '' : `, previously ${from}`;
  const ends = ended === 0 ? '' : `; ${counted(ended, 'onboarding')} recorded as terminated`;
  return `${url} belongs to the Temporal Namespace ${to}${before}${ends}`;
}

import type { Client, Connection } from '@temporalio/client';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { readBackgroundNamespace } from '../../background-namespace.ts';
import { orchestratorSettings } from '../../client/upkeep/join-installation.ts';
import { backgroundTaskQueues, orchestratorTaskQueues } from '../../client/worker-presence.ts';
import { settingsTable } from '../../config.ts';
import { emailServiceWorkflowsPath } from '../../email-service/background/email-service-workers.ts';
import { emailServiceProgram } from '../../email-service/background/join-namespace.ts';
import { readEmailServiceNamespace } from '../../email-service/email-service-namespace.ts';
import { emailServiceNames } from '../../email-service/workflows/email-service-names.ts';
import { type Environment, readSettings } from '../../lib/settings.ts';
import { installationIdOf } from '../../lib/sql/installation-id.ts';
import { knownNamespace } from '../../lib/sql/known-namespace.ts';
import { createClient } from '../../lib/temporal/create-client.ts';
import type { PolledTaskQueue } from '../../lib/temporal/last-poll.ts';
import { requireKnownNamespace } from '../../lib/temporal/recognize-namespace.ts';
import { readTemporalConfig, type TemporalConfig } from '../../lib/temporal/temporal-config.ts';
import { withConnection } from '../../lib/temporal/with-connection.ts';
import { workflowBundleOf } from '../../lib/temporal/workflow-bundle.ts';
import { accountSettings, providersWith } from '../../provider-settings.ts';
import { workflowsPath } from '../../worker.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { configuredDatabase, type DatabaseProgram, withDatabase } from '../databases/program-databases.ts';

/** A Namespace in which a program runs Workers. */
export interface ReleasePlace {
  readonly client: Client;
  readonly dataConverter: TemporalConfig['dataConverter'];
  readonly queues: readonly PolledTaskQueue[];
}

export interface ReleaseContext extends CommandContext {
  /** @default that of this release */
  readonly workflowBundle?: WorkflowBundleOption;
}

interface NamespaceOfProgram {
  readonly namespace: string;
  readonly queues: readonly PolledTaskQueue[];
}

/** Code of the error of a database without tables: until it has them, nothing says which executions are the program's. */
export const NOT_MIGRATED = 'not_migrated';

/**
 * Calls `use` for the Namespaces that the settings name.
 *
 * @throws OtherNamespaceError or NotSetUpError if the Workflows of the database run in another one
 */
export async function withPlaces<Result>(
  program: DatabaseProgram,
  environment: Environment,
  use: (places: readonly ReleasePlace[]) => Promise<Result>,
): Promise<Result> {
  const { connectionOptions, dataConverter } = readTemporalConfig(environment);
  return withConnection(connectionOptions, async (connection) => {
    const namespaces = await namespacesOf(program, environment, connection);
    return use(
      namespaces.map(({ namespace, queues }) => ({
        ...{ client: createClient({ connection, namespace, dataConverter }), dataConverter, queues },
      })),
    );
  });
}

function namespacesOf(
  program: DatabaseProgram,
  environment: Environment,
  connection: Connection,
): Promise<NamespacesOfProgram> {
  const configured = configuredDatabase(program, environment);
  return withDatabase(configured, async ({ database, isNew }) => {
    const isOrchestrator = program === 'orchestrator';
    if (!isOrchestrator && isNew)
      throw new CommandError(`${configured.url} has no tables. Run: sendoff migrate`, { code: NOT_MIGRATED });
    const namespaces = isOrchestrator
      ? orchestratorNamespaces(environment)
      : emailServiceNamespaces(environment, await installationIdOf(database));
    const [{ namespace }] = namespaces;
    const settings = (isOrchestrator ? orchestratorSettings : emailServiceProgram)(configured.url);
    if (!isNew && (await knownNamespace(database)) !== undefined)
      await requireKnownNamespace({ database, connection, namespace, program: settings });
    return namespaces;
  });
}

/** The first is the one that the database knows. */
type NamespacesOfProgram = readonly [NamespaceOfProgram, ...NamespaceOfProgram[]];

function orchestratorNamespaces(environment: Environment): NamespacesOfProgram {
  const temporal = readTemporalConfig(environment);
  const { AGENTS_MD_CONTACT, SENDOFF_NOTIFICATION_URL } = settingsTable;
  const settings = readSettings({ AGENTS_MD_CONTACT, SENDOFF_NOTIFICATION_URL, ...accountSettings }, environment);
  const { namespace } = temporal;
  const own = orchestratorTaskQueues({
    providers: providersWith(settings),
    agentsMd: settings.AGENTS_MD_CONTACT !== undefined,
  });
  const background = readBackgroundNamespace(environment, temporal);
  const upkeep = backgroundTaskQueues({ notifications: settings.SENDOFF_NOTIFICATION_URL !== undefined });
  if (background !== namespace) {
    return [
      { namespace, queues: own },
      { namespace: background, queues: upkeep },
    ];
  }
  const others = upkeep.filter(({ taskQueue }) => own.every((each) => each.taskQueue !== taskQueue));
  return [{ namespace, queues: [...own, ...others] }];
}

function emailServiceNamespaces(environment: Environment, id: string): NamespacesOfProgram {
  const { taskQueue, deliveriesTaskQueue } = emailServiceNames(id);
  return [
    {
      namespace: readEmailServiceNamespace(environment, readTemporalConfig(environment)),
      queues: [
        { taskQueue, runsWorkflows: true },
        { taskQueue: deliveriesTaskQueue, runsWorkflows: false },
      ],
    },
  ];
}

export const bundleOf = async (
  program: DatabaseProgram,
  { workflowBundle }: ReleaseContext,
): Promise<WorkflowBundleOption> =>
  workflowBundle ?? workflowBundleOf(program === 'orchestrator' ? workflowsPath : emailServiceWorkflowsPath);

/** The executions of the program in the Namespace, which other programs may share. */
export const executionsQuery = ({ queues }: ReleasePlace): string =>
  `TaskQueue IN (${queues.flatMap(({ taskQueue, runsWorkflows }) => (runsWorkflows ? [`"${taskQueue}"`] : [])).join(', ')})`;

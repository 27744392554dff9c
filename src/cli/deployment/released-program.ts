import type { Client, Connection } from '@temporalio/client';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { orchestratorSettings } from '../../client/upkeep/join-installation.ts';
import { emailServiceWorkflowsPath } from '../../email-service/background/email-service-workers.ts';
import { emailServiceProgram } from '../../email-service/background/join-namespace.ts';
import type { Environment } from '../../lib/settings.ts';
import { installationIdOf } from '../../lib/sql/installation-id.ts';
import { knownNamespace } from '../../lib/sql/known-namespace.ts';
import { createClient } from '../../lib/temporal/create-client.ts';
import { requireKnownNamespace } from '../../lib/temporal/recognize-namespace.ts';
import { readTemporalConfig, type TemporalConfig } from '../../lib/temporal/temporal-config.ts';
import { withConnection } from '../../lib/temporal/with-connection.ts';
import { workflowBundleOf } from '../../lib/temporal/workflow-bundle.ts';
import { workflowsPath } from '../../worker.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { configuredDatabase, type DatabaseProgram, withDatabase } from '../databases/program-databases.ts';
import { emailServiceNamespace, orchestratorNamespaces, type PolledNamespace } from '../polled-namespaces.ts';

/** A Namespace in which a program runs Workers. */
export interface ReleasePlace extends Pick<PolledNamespace, 'queues'> {
  readonly client: Client;
  readonly dataConverter: TemporalConfig['dataConverter'];
}

export interface ReleaseContext extends CommandContext {
  /** @default that of this release */
  readonly workflowBundle?: WorkflowBundleOption;
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
    const namespaces: NamespacesOfProgram = isOrchestrator
      ? merged(orchestratorNamespaces(environment))
      : [emailServiceNamespace(environment, await installationIdOf(database))];
    // The first is the one that the database knows.
    const [{ namespace }] = namespaces;
    const settings = (isOrchestrator ? orchestratorSettings : emailServiceProgram)(configured.url);
    if (!isNew && (await knownNamespace(database)) !== undefined)
      await requireKnownNamespace({ database, connection, namespace, program: settings });
    return namespaces;
  });
}

type NamespacesOfProgram = readonly [PolledNamespace, ...PolledNamespace[]];

/** Where both are one, its Task Queues without repetitions. */
function merged([own, background]: ReturnType<typeof orchestratorNamespaces>): NamespacesOfProgram {
  if (background.namespace !== own.namespace) return [own, background];
  const others = background.queues.filter(({ taskQueue }) => own.queues.every((each) => each.taskQueue !== taskQueue));
  return [{ ...own, queues: [...own.queues, ...others] }];
}

export const bundleOf = async (
  program: DatabaseProgram,
  { workflowBundle }: ReleaseContext,
): Promise<WorkflowBundleOption> =>
  workflowBundle ?? workflowBundleOf(program === 'orchestrator' ? workflowsPath : emailServiceWorkflowsPath);

/** The executions of the program in the Namespace, which other programs may share. */
export const executionsQuery = ({ queues }: ReleasePlace): string =>
  `TaskQueue IN (${queues.flatMap(({ taskQueue, runsWorkflows }) => (runsWorkflows ? [`"${taskQueue}"`] : [])).join(', ')})`;

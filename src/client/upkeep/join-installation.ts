import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { databaseOptions, type Database } from '../../store/database.ts';
import { installationIdOf } from '../../lib/sql/installation-id.ts';
import {
  keepNamespace,
  OtherNamespaceError,
  type ProgramSettings,
  requireKnownNamespace,
} from '../../lib/temporal/recognize-namespace.ts';
import { findNamespaceId } from '../../lib/temporal/setup/find-setup-gaps.ts';
import { deleteSchedule } from '../../lib/temporal/keep-schedule.ts';
import { producersSchedule } from '../agents-md/producers-schedule.ts';
import { backgroundSchedules } from './orchestrator-singletons.ts';
import {
  INSTALLATION_WORKFLOW_ID,
  INSTALLATION_WORKFLOW_TYPE,
  ONBOARDING_TASK_QUEUE,
  SWEEP_WORKFLOW_ID,
} from '../../workflows/messages.ts';

const CALL_TIMEOUT_MS = 10_000;
export const BACKGROUND_NAMESPACE_SETTING = 'SENDOFF_BACKGROUND_TEMPORAL_NAMESPACE';

export interface JoiningProgram {
  readonly client: Client;
  readonly database: Database;
  readonly databaseUrl: string;
}

export interface JoinedInstallation {
  /** Undefined for a background Namespace, which may be deleted and created again: the keeper of singletons brings back what ran there. */
  readonly namespaceId: string | undefined;
  readonly installationId: string;
}

/** The Namespace is reserved for another database. */
export class OtherInstallationError extends Error {
  override readonly name = 'OtherInstallationError';
}

/**
 * Reserves the Namespace for this database, or confirms the reservation, and remembers it in the database. A program with another database,
 * such as an empty one, would take tasks of tenants whose secrets it does not have; one in another Namespace would treat every
 * running onboarding as lost.
 *
 * @throws OtherInstallationError or OtherNamespaceError with what to do
 */
export async function joinInstallation({ client, database, databaseUrl }: JoiningProgram): Promise<JoinedInstallation> {
  const { connection } = client;
  const { namespace } = client.options;
  const program = orchestratorSettings(databaseUrl);
  const recognized = await requireKnownNamespace({ database, connection, namespace, program });
  const ownId = await installationIdOf(database);
  const before = await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () => findNamespaceHolder(client));
  await requireHolder(client, before, { ownId, databaseUrl, namespaceSetting: program.namespaceSetting });
  try {
    await keepNamespace({ database, program }, recognized);
    return { namespaceId: recognized.here.namespaceId, installationId: ownId };
  } catch (error) {
    // It must not hold a Namespace that its database does not use.
    if (before === undefined && error instanceof OtherNamespaceError) await terminate(client, INSTALLATION_WORKFLOW_ID);
    throw error;
  }
}

/**
 * The same for the background Namespace. The database does not remember it: what runs there can be started again from the database, in
 * this Namespace or another one. Two databases would take each other's tasks, so a Namespace that another database has reserved is refused.
 */
export async function joinBackground({ client, database, databaseUrl }: JoiningProgram): Promise<JoinedInstallation> {
  const ownId = await installationIdOf(database);
  const before = await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () => findNamespaceHolder(client));
  await requireHolder(client, before, { ownId, databaseUrl, namespaceSetting: BACKGROUND_NAMESPACE_SETTING });
  return { namespaceId: undefined, installationId: ownId };
}

interface Holding {
  readonly ownId: string;
  readonly databaseUrl: string;
  readonly namespaceSetting: string;
}

/** Reserves the Namespace if no database has. @throws OtherInstallationError */
async function requireHolder(client: Client, before: NamespaceHolder | undefined, own: Holding): Promise<void> {
  const holder = before ?? (await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () => claim(client, own.ownId)));
  if (holder.installationId === own.ownId) return;
  const { fault, remedy } = otherInstallation(holder, { ...own, namespace: client.options.namespace });
  throw new OtherInstallationError([fault, ...remedy].join('\n'));
}

/** Whether the Namespace is the joined one, and not reserved by another database. Queries no database, which may be out of reach. */
export async function isStillJoined(
  client: Client,
  { namespaceId, installationId }: JoinedInstallation,
): Promise<boolean> {
  const [id, holder] = await Promise.all([
    findNamespaceId(client.connection, client.options.namespace),
    findNamespaceHolder(client),
  ]);
  const isSame = namespaceId === undefined || id === namespaceId;
  return isSame && (holder === undefined || holder.installationId === installationId);
}

export const orchestratorSettings = (databaseUrl: string): ProgramSettings => ({
  ...{ name: 'orchestrator', databaseUrl },
  databaseSetting: databaseOptions.setting,
  namespaceSetting: 'TEMPORAL_NAMESPACE',
});

/** Why this database cannot use the Namespace, and what to do. */
export function otherInstallation(
  { installationId, since }: NamespaceHolder,
  { namespace, ownId, databaseUrl, namespaceSetting }: Holding & { readonly namespace: string },
): { readonly fault: string; readonly remedy: readonly string[] } {
  return {
    fault: `the Temporal Namespace ${namespace} has belonged to installation ${installationId} since ${since.toISOString()}; the database ${databaseUrl} belongs to installation ${ownId}.`,
    remedy: [
      `Set SENDOFF_DATABASE_URL to the database of installation ${installationId}, or ${namespaceSetting} to another Namespace.`,
      'To abandon the other database, with the secrets and records of its tenants, stop its programs, release the Namespace and start again:',
      `  temporal workflow terminate --namespace ${namespace} --workflow-id ${INSTALLATION_WORKFLOW_ID} --reason "another database from now on"`,
    ],
  };
}

/** Releases the Namespace: for a deployment whose database is deleted. */
export async function leaveInstallation({ client, database }: Omit<JoiningProgram, 'databaseUrl'>): Promise<void> {
  const ownId = await installationIdOf(database);
  await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, async () => {
    const holder = await findNamespaceHolder(client);
    if (holder?.installationId === ownId) {
      for (const { scheduleId } of [...backgroundSchedules(undefined), producersSchedule(false)])
        await deleteSchedule(client, scheduleId);
      for (const workflowId of [SWEEP_WORKFLOW_ID, INSTALLATION_WORKFLOW_ID]) await terminate(client, workflowId);
    }
  });
}

async function terminate(client: Client, workflowId: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).terminate('the deployment has ended');
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

export interface NamespaceHolder {
  readonly installationId: string;
  readonly since: Date;
}

async function claim(client: Client, ownId: string): Promise<NamespaceHolder> {
  try {
    await client.workflow.start(INSTALLATION_WORKFLOW_TYPE, {
      workflowId: INSTALLATION_WORKFLOW_ID,
      taskQueue: ONBOARDING_TASK_QUEUE,
      workflowIdConflictPolicy: 'FAIL',
      memo: { installationId: ownId },
      staticSummary: `Holds this Namespace for sendoff installation ${ownId}`,
    });
    return { installationId: ownId, since: new Date() };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  // Another program reserved it first.
  return (await findNamespaceHolder(client)) ?? claim(client, ownId);
}

/** Undefined until the first server or Worker starts in the Namespace. */
export async function findNamespaceHolder(client: Client): Promise<NamespaceHolder | undefined> {
  try {
    const { status, memo, startTime } = await client.workflow.getHandle(INSTALLATION_WORKFLOW_ID).describe();
    if (status.name !== 'RUNNING') return undefined;
    return { installationId: String(memo?.['installationId']), since: startTime };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

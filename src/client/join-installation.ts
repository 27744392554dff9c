import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { Database } from '../store/database.ts';
import { installationIdOf } from '../lib/sql/installation-id.ts';
import { deleteSchedule } from '../lib/temporal/keep-schedule.ts';
import {
  INSTALLATION_WORKFLOW_ID,
  INSTALLATION_WORKFLOW_TYPE,
  ONBOARDING_TASK_QUEUE,
  RETENTION_SCHEDULE_ID,
  SWEEP_WORKFLOW_ID,
  WATCH_SCHEDULE_ID,
} from '../workflows/messages.ts';

const CALL_TIMEOUT_MS = 10_000;

export interface JoiningProgram {
  readonly client: Client;
  readonly database: Database;
  readonly databaseUrl: string;
}

/** Another database holds the Namespace. */
export class OtherInstallationError extends Error {
  override readonly name = 'OtherInstallationError';
}

/**
 * Claims the Namespace for this database, or confirms its claim. A program with another database, such as an empty one, would
 * take tasks of tenants whose secrets it does not have.
 *
 * @throws OtherInstallationError with what to do
 */
export async function joinInstallation({ client, database, databaseUrl }: JoiningProgram): Promise<void> {
  const { namespace } = client.options;
  const ownId = await installationIdOf(database);
  const holder = await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () => holderOf(client, ownId));
  if (holder.installationId === ownId) return;
  const { fault, remedy } = otherInstallation(holder, { namespace, ownId, databaseUrl });
  throw new OtherInstallationError([fault, ...remedy].join('\n'));
}

/** Why this database cannot use the Namespace, and what to do. */
export function otherInstallation(
  { installationId, since }: NamespaceHolder,
  { namespace, ownId, databaseUrl }: { namespace: string; ownId: string; databaseUrl: string },
): { readonly fault: string; readonly remedy: readonly string[] } {
  return {
    fault: `the Temporal Namespace ${namespace} has belonged to installation ${installationId} since ${since.toISOString()}; the database ${databaseUrl} belongs to installation ${ownId}.`,
    remedy: [
      `Set SENDOFF_DATABASE_URL to the database of installation ${installationId}, or TEMPORAL_NAMESPACE to another Namespace.`,
      'To abandon the other database, with the secrets and records of its tenants, end its claim and start again:',
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
      for (const scheduleId of [WATCH_SCHEDULE_ID, RETENTION_SCHEDULE_ID]) await deleteSchedule(client, scheduleId);
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

async function holderOf(client: Client, ownId: string): Promise<NamespaceHolder> {
  const holder = await findNamespaceHolder(client);
  if (holder !== undefined) return holder;
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
  // Another program claimed it first.
  return holderOf(client, ownId);
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

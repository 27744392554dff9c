import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { Database } from '../store/database.ts';
import { installationIdOf } from '../lib/sql/installation-id.ts';
import { INSTALLATION_WORKFLOW_ID, INSTALLATION_WORKFLOW_TYPE, ONBOARDING_TASK_QUEUE } from '../workflows/messages.ts';

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
  const { installationId, since } = await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, () =>
    holderOf(client, ownId),
  );
  if (installationId === ownId) return;
  throw new OtherInstallationError(
    [
      `the Temporal Namespace ${namespace} has belonged to installation ${installationId} since ${since.toISOString()}; the database ${databaseUrl} belongs to installation ${ownId}.`,
      `Set SENDOFF_DATABASE_URL to the database of installation ${installationId}, or TEMPORAL_NAMESPACE to another Namespace.`,
      'To abandon the other database, with the secrets and records of its tenants, end its claim and start again:',
      `  temporal workflow terminate --namespace ${namespace} --workflow-id ${INSTALLATION_WORKFLOW_ID} --reason "another database from now on"`,
    ].join('\n'),
  );
}

/** Releases the Namespace: for a deployment whose database is deleted. */
export async function leaveInstallation({ client, database }: Omit<JoiningProgram, 'databaseUrl'>): Promise<void> {
  const ownId = await installationIdOf(database);
  await client.withDeadline(Date.now() + CALL_TIMEOUT_MS, async () => {
    const holder = await describeHolder(client);
    if (holder?.installationId === ownId) {
      await client.workflow.getHandle(INSTALLATION_WORKFLOW_ID).terminate('the deployment has ended');
    }
  });
}

interface Holder {
  readonly installationId: string;
  readonly since: Date;
}

async function holderOf(client: Client, ownId: string): Promise<Holder> {
  const holder = await describeHolder(client);
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

async function describeHolder(client: Client): Promise<Holder | undefined> {
  try {
    const { status, memo, startTime } = await client.workflow.getHandle(INSTALLATION_WORKFLOW_ID).describe();
    if (status.name !== 'RUNNING') return undefined;
    return { installationId: String(memo?.['installationId']), since: startTime };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

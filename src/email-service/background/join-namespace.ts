import { Client, NamespaceNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { GrpcCode, grpcCode } from '../../lib/temporal/grpc-code.ts';
import { deleteSchedule } from '../../lib/temporal/keep-schedule.ts';
import { requireSetup } from '../../lib/temporal/setup/require-setup.ts';
import { knownNamespace, rememberNamespace } from '../store/known-namespace.ts';
import type { Store } from '../store/open-store.ts';
import { addPendingToOutbox } from '../store/pending-starts.ts';
import type { EmailServiceNames } from '../workflows/email-service-names.ts';

export interface JoinNamespaceOptions {
  readonly store: Store;
  readonly connection: NativeConnection;
  readonly namespace: string;
  /** Where earlier versions, which did not remember the Namespace, ran the Workflows. */
  readonly orchestratorNamespace: string;
  readonly names: Pick<EmailServiceNames, 'taskQueue' | 'sweepOutboxWorkflowId' | 'retentionScheduleId'>;
}

/** The Workflows of this database run in another Namespace, where no Worker would continue them. */
export class OtherNamespaceError extends Error {
  override readonly name = 'OtherNamespaceError';
}

/**
 * Prepares the Namespace for this database's Workflows: where its sweep does not run yet, everything that has not ended is added
 * to the outbox. The sweep runs as long as the service uses a Namespace, so it shows where the Workflows are.
 *
 * @throws OtherNamespaceError with what to do: Workflows in two Namespaces could send an email twice
 * @throws NotSetUpError if the Namespace does not exist
 */
export async function joinNamespace(options: JoinNamespaceOptions): Promise<void> {
  const { store, connection, namespace, orchestratorNamespace } = options;
  const known = await knownNamespace(store);
  const before = known ?? orchestratorNamespace;
  if (before !== namespace && (await isSweepRunning(before, options))) {
    throw new OtherNamespaceError(whatToDo(before, options));
  }
  if (before !== namespace) await leaveSchedule(before, options);
  await requireSetup(connection, namespace, []);
  const isAtHome = await isSweepRunning(namespace, options);
  if (isAtHome && known === namespace) return;
  if (!isAtHome) await addPendingToOutbox(store);
  // Afterwards, so that a start which was interrupted is repeated.
  await rememberNamespace(store, namespace);
}

/** Its runs would have no Worker. */
async function leaveSchedule(
  namespace: string,
  { connection, names }: Pick<JoinNamespaceOptions, 'connection' | 'names'>,
): Promise<void> {
  try {
    await deleteSchedule(new Client({ connection, namespace }), names.retentionScheduleId);
  } catch (error) {
    if (!isWithoutAccess(error)) throw error;
  }
}

async function isSweepRunning(
  namespace: string,
  { connection, names }: Pick<JoinNamespaceOptions, 'connection' | 'names'>,
): Promise<boolean> {
  const { workflow } = new Client({ connection, namespace });
  try {
    return (await workflow.getHandle(names.sweepOutboxWorkflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || isWithoutAccess(error)) return false;
    throw error;
  }
}

/** The Namespace does not exist, or the credentials may not use it: then they never started anything in it. */
function isWithoutAccess(error: unknown): boolean {
  const code = grpcCode(error instanceof Error && error.cause !== undefined ? error.cause : error);
  return error instanceof NamespaceNotFoundError || code === GrpcCode.PERMISSION_DENIED;
}

const whatToDo = (before: string, { namespace, names: { taskQueue } }: JoinNamespaceOptions): string =>
  [
    `the Workflows of this email service's database run in the Temporal Namespace ${before}, not in ${namespace}.`,
    `To keep them there, set EMAIL_SERVICE_TEMPORAL_NAMESPACE=${before}`,
    `To move to ${namespace}, stop every process of this email service, end its Workflows there and start again: everything that has not ended continues from the database.`,
    `  temporal workflow terminate --namespace ${before} --query 'TaskQueue="${taskQueue}" AND ExecutionStatus="Running"' --reason "moved to ${namespace}" --yes`,
  ].join('\n');

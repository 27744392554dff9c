import { type Connection, NamespaceNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { createClient } from '../../lib/temporal/create-client.ts';
import { GrpcCode, grpcCode } from '../../lib/temporal/grpc-code.ts';
import { deleteSchedule } from '../../lib/temporal/keep-schedule.ts';
import type { TemporalConfig } from '../../lib/temporal/temporal-config.ts';
import {
  isNamespaceOf,
  keepNamespace,
  OtherNamespaceError,
  type ProgramSettings,
  recognizeNamespace,
  requireKnownNamespace,
} from '../../lib/temporal/recognize-namespace.ts';
import { type Store, storeOptions } from '../store/open-store.ts';
import { addPendingToOutbox } from '../store/pending-starts.ts';
import type { EmailServiceNames } from '../workflows/email-service-names.ts';

export interface JoinNamespaceOptions {
  readonly store: Store;
  readonly connection: Connection | NativeConnection;
  readonly namespace: string;
  readonly dataConverter: TemporalConfig['dataConverter'];
  /** Without a password. */
  readonly databaseUrl: string;
  readonly names: Pick<EmailServiceNames, 'taskQueue' | 'sweepOutboxWorkflowId' | 'retentionScheduleId'>;
}

export type LeftNamespaceOptions = Pick<JoinNamespaceOptions, 'connection' | 'namespace' | 'dataConverter' | 'names'>;

/**
 * Prepares the Namespace for this database's Workflows: where its sweep does not run yet, everything that has not ended is added
 * to the outbox. The sweep runs as long as the service uses a Namespace, so it shows where the Workflows are.
 *
 * @returns the id of the Namespace
 * @throws OtherNamespaceError with what to do: Workflows in two Namespaces could send an email twice
 * @throws NotSetUpError if the Namespace does not exist
 */
export async function joinNamespace(options: JoinNamespaceOptions): Promise<string> {
  const { store: database, connection, namespace, databaseUrl } = options;
  const program = emailServiceProgram(databaseUrl);
  const recognized = await recognizeNamespace({ database, connection, namespace });
  const { known, isSame } = recognized;
  if (known !== undefined && !isSame) {
    // One that this server does not have may run on: only a person knows.
    if (!(await isNamespaceOf(known, connection)))
      await requireKnownNamespace({ database, connection, namespace, program });
    await leaveNamespace(known.namespace, options);
  }
  if (!(await isSweepRunning(namespace, options))) await addPendingToOutbox(database);
  // Afterwards, so that a start which was interrupted is repeated.
  await keepNamespace({ database, program }, recognized);
  return recognized.here.namespaceId;
}

export const emailServiceProgram = (databaseUrl: string): ProgramSettings => ({
  ...{ name: 'email-service', databaseUrl },
  databaseSetting: storeOptions.setting,
  namespaceSetting: 'EMAIL_SERVICE_TEMPORAL_NAMESPACE',
});

/** Throws OtherNamespaceError if Workflows run in the previous Namespace; otherwise deletes the Schedule there. */
export async function leaveNamespace(before: string, options: LeftNamespaceOptions): Promise<void> {
  if (await isInUse(before, options)) {
    const fault = `the Workflows of this email service's database run in the Temporal Namespace ${before}, not in ${options.namespace}.`;
    throw new OtherNamespaceError(fault, whatToDo(before, options));
  }
  await leaveSchedule(before, options);
}

/** Its runs would have no Worker. */
async function leaveSchedule(
  namespace: string,
  { connection, dataConverter, names }: Pick<JoinNamespaceOptions, 'connection' | 'dataConverter' | 'names'>,
): Promise<void> {
  try {
    await deleteSchedule(createClient({ connection, namespace, dataConverter }), names.retentionScheduleId);
  } catch (error) {
    if (!isWithoutAccess(error)) throw error;
  }
}

/** Also without its sweep, which a person may have terminated alone. */
async function isInUse(before: string, options: LeftNamespaceOptions): Promise<boolean> {
  if (await isSweepRunning(before, options)) return true;
  const { connection, dataConverter, names } = options;
  const query = `TaskQueue="${names.taskQueue}" AND ExecutionStatus="Running"`;
  try {
    return (await createClient({ connection, namespace: before, dataConverter }).workflow.count(query)).count > 0;
  } catch (error) {
    if (isWithoutAccess(error)) return false;
    throw error;
  }
}

async function isSweepRunning(
  namespace: string,
  { connection, dataConverter, names }: Pick<JoinNamespaceOptions, 'connection' | 'dataConverter' | 'names'>,
): Promise<boolean> {
  const { workflow } = createClient({ connection, namespace, dataConverter });
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

const whatToDo = (before: string, { namespace, names: { taskQueue } }: LeftNamespaceOptions): readonly string[] => [
  `To keep them there, set EMAIL_SERVICE_TEMPORAL_NAMESPACE=${before}`,
  `To move to ${namespace}, stop every process of this email service, end its Workflows there and start again: everything that has not ended continues from the database.`,
  `  temporal workflow terminate --namespace ${before} --query 'TaskQueue="${taskQueue}" AND ExecutionStatus="Running"' --reason "moved to ${namespace}" --yes`,
];

import { type Client, type Connection, NamespaceNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
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
  readonly names: EmailServiceNames;
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
  // Its runs would have no Worker.
  await ifThere(deleteSchedule(clientIn(before, options), options.names.retentionScheduleId));
}

type InNamespace = Pick<LeftNamespaceOptions, 'connection' | 'dataConverter' | 'names'>;

const clientIn = (namespace: string, { connection, dataConverter }: InNamespace): Client =>
  createClient({ connection, namespace, dataConverter });

/** Also without its sweep, which a person may have terminated alone. */
async function isInUse(before: string, options: InNamespace): Promise<boolean> {
  if (await isSweepRunning(before, options)) return true;
  const query = `TaskQueue="${options.names.taskQueue}" AND ExecutionStatus="Running"`;
  const found = await ifThere(clientIn(before, options).workflow.count(query));
  return found !== undefined && found.count > 0;
}

async function isSweepRunning(namespace: string, options: InNamespace): Promise<boolean> {
  const sweep = clientIn(namespace, options).workflow.getHandle(options.names.sweepOutboxWorkflowId);
  return (await ifThere(sweep.describe()))?.status.name === 'RUNNING';
}

/** Undefined if the Workflow or the Namespace does not exist, or the credentials may not use it: then they never started anything in it. */
async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    const code = grpcCode(error instanceof Error && error.cause !== undefined ? error.cause : error);
    const isAbsent = error instanceof WorkflowNotFoundError || error instanceof NamespaceNotFoundError;
    if (isAbsent || code === GrpcCode.PERMISSION_DENIED) return undefined;
    throw error;
  }
}

const whatToDo = (before: string, { namespace, names: { taskQueue } }: LeftNamespaceOptions): readonly string[] => [
  `To keep them there, set EMAIL_SERVICE_TEMPORAL_NAMESPACE=${before}`,
  `To move to ${namespace}, stop every process of this email service, end its Workflows there and start again: everything that has not ended continues from the database.`,
  `  temporal workflow terminate --namespace ${before} --query 'TaskQueue="${taskQueue}" AND ExecutionStatus="Running"' --reason "moved to ${namespace}" --yes`,
];

import type { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { GrpcCode, grpcCode, grpcMessage } from './grpc-code.ts';

/** An onboarding waits three days; its end stays readable for a week after that. */
const RETENTION_DAYS = 10;

/** Registers the Namespace when the server does not have it. Throws with the command to run where sendoff may not do that. */
export async function ensureNamespace(connection: Connection, namespace: string): Promise<void> {
  if (await namespaceExists(connection, namespace)) return;
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      description: 'sendoff',
      workflowExecutionRetentionPeriod: msToTs(`${RETENTION_DAYS} days`),
    });
  } catch (error) {
    // Another start was faster.
    if (grpcCode(error) === GrpcCode.ALREADY_EXISTS) return;
    throw new Error(
      `The Temporal Namespace "${namespace}" is not there and the server refuses to register it: ${grpcMessage(error)}. ` +
        `Create it: temporal operator namespace create --namespace ${namespace} --retention ${String(RETENTION_DAYS)}d`,
      { cause: error },
    );
  }
}

async function namespaceExists(connection: Connection, namespace: string): Promise<boolean> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return true;
  } catch (error) {
    if (grpcCode(error) === GrpcCode.NOT_FOUND) return false;
    throw error;
  }
}

import { Client } from '@temporalio/client';
import type { TemporalConfig } from '../../lib/temporal/temporal-config.ts';
import { withConnection } from '../../lib/temporal/with-connection.ts';

/** The number of events of an execution, once it has ended. */
export const historyLength = (
  { connectionOptions, namespace }: TemporalConfig,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
): Promise<number> =>
  withConnection(connectionOptions, async (connection) => {
    const handle = new Client({ connection, namespace }).workflow.getHandle(workflowId, runId);
    await handle.result().catch(() => undefined);
    return (await handle.describe()).historyLength;
  });

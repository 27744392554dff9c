import { createClient } from '../../lib/temporal/create-client.ts';
import type { TemporalConfig } from '../../lib/temporal/temporal-config.ts';
import { withConnection } from '../../lib/temporal/with-connection.ts';

/** The number of events of an execution, once it has ended. */
export const historyLength = (
  { connectionOptions, namespace, dataConverter }: TemporalConfig,
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
): Promise<number> =>
  withConnection(connectionOptions, async (connection) => {
    const handle = createClient({ connection, namespace, dataConverter }).workflow.getHandle(workflowId, runId);
    await handle.result().catch(() => undefined);
    return (await handle.describe()).historyLength;
  });

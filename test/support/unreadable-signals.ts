import type { WorkflowHandle } from '@temporalio/client';
import type { Payload } from '@temporalio/common';

const payload = (encoding: string, data: string): Payload => ({
  metadata: { encoding: Buffer.from(encoding) },
  data: Buffer.from(data),
});

/** Arguments that no converter of the SDK reads, such as those of another program or of the Temporal CLI. */
export const unreadable: readonly (readonly Payload[])[] = [
  [payload('json/plain', 'not JSON')],
  [payload('json/plain', '')],
  [payload('json/protobuf', '{}')],
  [payload('binary/encrypted', 'x')],
  [{ metadata: {}, data: Buffer.from('1') }],
  [payload('json/plain', '{}'), payload('json/plain', '{')],
];

/** Sends a Signal with these arguments as they are. */
export async function signalWith(
  { client, workflowId }: WorkflowHandle,
  signalName: string,
  payloads: readonly Payload[],
): Promise<void> {
  await client.workflowService.signalWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId },
    signalName,
    input: { payloads: [...payloads] },
  });
}

import { Client, Connection } from '@temporalio/client';
import { onTestFinished } from 'vitest';
import { stageKey, tenantKey } from './search-attributes.ts';

interface Place {
  readonly address: string;
  readonly namespace: string;
}

/** Until the test has ended. */
export async function clientOf({ address, namespace }: Place): Promise<Client> {
  const connection = await Connection.connect({ address });
  onTestFinished(() => connection.close());
  return new Client({ connection, namespace });
}

/** With all Search Attributes, which the server must know. */
export async function startWorkflow(place: Place, workflowId: string): Promise<void> {
  const { workflow } = await clientOf(place);
  await workflow.start('onboardTenant', {
    workflowId,
    taskQueue: 'nobody-works-here',
    typedSearchAttributes: [
      { key: tenantKey, value: 'acme' },
      { key: stageKey, value: 'awaitingDomain' },
    ],
  });
}

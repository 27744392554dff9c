// Whoever may write to the Namespace can start any Workflow with any input, as `temporal workflow start` does.
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, type Payload } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { workflowsPath } from '../../src/worker.ts';
import { workerOptions } from '../../src/worker-options.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import { type TestServer, timeSkippingServer } from '../support/temporal.ts';
import { unreadable } from '../support/unreadable-signals.ts';
import { workflowCode } from '../support/workflow-bundle.ts';

const programs = [
  {
    path: workflowsPath,
    types: [
      'onboardTenant',
      'checkAgentsMd',
      'announceOutcomeChange',
      'notifyBackend',
      'checkProducers',
      'watchDomains',
    ],
    expected: [
      'onboardTenant, unreadable 2: InvalidInput: the input must be an object; found "a payload that cannot be read, with the encoding json/protobuf"',
      'checkAgentsMd, unreadable 0: InvalidInput: the input must be an object; found "a payload that cannot be read, with the encoding json/plain"',
      'notifyBackend, an empty object: InvalidInput: tenantId must be text; found nothing',
      'watchDomains, a number: InvalidInput: the input must be an object with dueBy, report; found 5',
    ],
  },
  {
    path: fileURLToPath(new URL('../../src/email-service/workflows/index.ts', import.meta.url)),
    types: ['deliverEmail', 'deliverWebhook', 'verifyDomain'],
    expected: [
      'deliverEmail, nothing: InvalidInput: the input must be an object with emailId; found nothing',
      'verifyDomain, a list: InvalidInput: the input must be an object with domainId; found []',
      'verifyDomain, a megabyte: InvalidInput: domainId must be text; found 5',
    ],
  },
];

const json = (text: string): Payload => ({
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(text),
});
const large = {
  tenantId: 5,
  domainId: 5,
  ['x'.repeat(500_000)]: 1,
  ...Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`field${n}`, 1])),
};

const wrong: Readonly<Record<string, readonly Payload[]>> = {
  ...Object.fromEntries(unreadable.slice(0, 5).map((payloads, n) => [`unreadable ${n}`, payloads])),
  null: [json('null')],
  'a number': [json('5')],
  'a list': [json('[]')],
  'an empty object': [json('{}')],
  'a megabyte': [json(JSON.stringify(large))],
};
/** These begin without an input. */
const startedWithout = ['checkProducers', 'watchDomains'];

test.each(programs)(
  'a Workflow with a wrong input fails at once, and says why: $types',
  async ({ path, types, expected }) => {
    const server = await timeSkippingServer(searchAttributeKeys);
    const { environment, namespace } = server;
    const worker = await Worker.create({
      ...workerOptions,
      ...{ connection: environment.nativeConnection, namespace, taskQueue: 'wrong-input' },
      ...(await workflowCode(path)),
    });
    try {
      await worker.runUntil(async () => {
        const said: string[] = [];
        for (const type of types)
          for (const [name, payloads] of Object.entries({ ...wrong, nothing: [] }))
            if (payloads.length > 0 || !startedWithout.includes(type))
              said.push(`${type}, ${name}: ${await failureOf(server, type, payloads)}`);
        expect(said.filter((line) => !line.includes(': InvalidInput: '))).toEqual([]);
        expect(said.filter((line) => line.length > 5_000).map((line) => line.slice(0, 200))).toEqual([]);
        for (const line of expected) expect(said).toContain(line);
      });
    } finally {
      await server.stop();
    }
  },
);

async function failureOf(
  { environment, namespace }: TestServer,
  type: string,
  payloads: readonly Payload[],
): Promise<string> {
  const workflowId = randomUUID();
  const { client } = environment;
  await client.workflowService.startWorkflowExecution({
    ...{ namespace, workflowId, requestId: randomUUID() },
    workflowType: { name: type },
    taskQueue: { name: 'wrong-input' },
    input: { payloads: [...payloads] },
    workflowExecutionTimeout: { seconds: 60 as never },
  });
  try {
    await client.workflow.getHandle(workflowId).result();
    return 'succeeded';
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    return cause instanceof ApplicationFailure ? `${String(cause.type)}: ${cause.message}` : String(cause);
  }
}

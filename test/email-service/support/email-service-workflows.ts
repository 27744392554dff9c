import { Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import type { Activities } from '../../../src/email-service/activities/index.ts';
import type { WorkflowToStart } from '../../../src/email-service/store/outbox.ts';
import { emailServiceNames } from '../../../src/email-service/workflows/email-service-names.ts';
import type { SearchAttribute } from '../../../src/lib/temporal/setup/search-attribute.ts';
import { timeSkippingServer, type TestServer } from '../../support/temporal.ts';
import { workflowCode } from '../../support/workflow-bundle.ts';

const workflowsPath = fileURLToPath(new URL('../../../src/email-service/workflows/index.ts', import.meta.url));

/** The names of an installation that only these tests use. */
export const testNames = emailServiceNames('test');

/** One list for all tests: they share a server that has these Search Attributes. */
const NO_SEARCH_ATTRIBUTES: readonly SearchAttribute[] = [];

/** As the outbox starts it. */
export const startWorkflow = ({ environment }: TestServer, { workflowType, workflowId, input }: WorkflowToStart) =>
  environment.client.workflow.start(workflowType, { workflowId, taskQueue: testNames.taskQueue, args: [input] });

const notAsked = (): never => {
  throw new Error('this Activity belongs to another Workflow');
};

/**
 * The Workflows with the test's Activities on the time-skipping server. Every Workflow Task replays its history, and
 * non-determinism fails the Workflow at once. Stops everything after `use` has returned.
 */
export async function withWorkflows(
  activities: Partial<Activities>,
  use: (server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await timeSkippingServer(NO_SEARCH_ATTRIBUTES);
  try {
    const shared = { connection: server.environment.nativeConnection, namespace: server.namespace };
    const worker = await Worker.create({
      ...shared,
      taskQueue: testNames.taskQueue,
      ...(await workflowCode(workflowsPath)),
      activities: {
        checkDomain: activities.checkDomain ?? notAsked,
        startLeftBehind: activities.startLeftBehind ?? notAsked,
      },
      maxCachedWorkflows: 0,
      workflowFailureErrorTypes: { '*': ['NondeterminismError'] },
    });
    const deliveries = await Worker.create({
      ...shared,
      taskQueue: testNames.deliveriesTaskQueue,
      activities: {
        attemptDelivery: activities.attemptDelivery ?? notAsked,
        postWebhook: activities.postWebhook ?? notAsked,
      },
    });
    await deliveries.runUntil(() => worker.runUntil(() => use(server)));
  } finally {
    await server.stop();
  }
}

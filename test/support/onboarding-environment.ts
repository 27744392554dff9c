import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { WorkflowHandle } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { createActivities } from '../../src/activities/index.ts';
import { createOnboardings } from '../../src/http/onboardings.ts';
import type { OnboardTenantInput } from '../../src/onboarding/input.ts';
import { onboardingWorkflowId } from '../../src/onboarding/ids.ts';
import { workerOptions, workflowsPath } from '../../src/worker.ts';
import { pollsTaskQueue } from '../../src/workflows/messages.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import { memorySecretStore, type Script, scriptedProvider, type ScriptedProvider } from './scripted-provider.ts';
import { devServer, type TestServer, timeSkippingServer } from './temporal.ts';

let bundled: Promise<WorkflowBundleWithSourceMap> | undefined;

/** One bundle per test file: it takes a second. */
const workflowBundle = (): Promise<WorkflowBundleWithSourceMap> =>
  (bundled ??= bundleWorkflowCode({
    workflowsPath,
    logger: new DefaultLogger('ERROR'),
  }));

export const validInput = (overrides: Partial<OnboardTenantInput> = {}): OnboardTenantInput => ({
  tenantId: 'acme',
  domain: 'acme.test',
  fromAddress: 'hello@acme.test',
  firstEmail: { recipient: 'ada@inbox.test', subject: 'Welcome', body: 'It works.' },
  ...overrides,
});

export interface OnboardingEnvironment {
  readonly server: TestServer;
  readonly scripted: ScriptedProvider;
  readonly secretStore: ReturnType<typeof memorySecretStore>;
  /** Starts an onboarding the way the HTTP API does. */
  readonly start: (input?: OnboardTenantInput) => Promise<WorkflowHandle>;
  /** The Event History as `temporal workflow show --output json` prints it. */
  readonly history: (handle: WorkflowHandle) => Promise<{ json: string; events: number }>;
  /** Virtual time passes while it is awaited. */
  readonly sleep: (duration: string) => Promise<void>;
}

const TASK_QUEUE = 'onboarding-test';

/** Real time, and the real server's rules of cancellation, which the time-skipping one does not share. */
export const realServer = (): Promise<TestServer> => devServer({ searchAttributes: searchAttributeKeys });

/**
 * The orchestrator's Workflows and Activities on the time-skipping server, with a provider in memory; every Workflow
 * Task replays its history, and non-determinism fails the Workflow at once. Ends everything when `use` has returned.
 */
export async function withOnboardings(
  overrides: Partial<Script> | ((clock: () => Promise<number>) => Partial<Script>),
  use: (environment: OnboardingEnvironment) => Promise<void>,
  startServer: () => Promise<TestServer> = () => timeSkippingServer(searchAttributeKeys),
): Promise<void> {
  const server = await startServer();
  try {
    const { environment, namespace } = server;
    const clock = (): Promise<number> => environment.currentTimeMs();
    const scripted = scriptedProvider(typeof overrides === 'function' ? overrides(clock) : overrides);
    const secretStore = memorySecretStore();
    const activities = createActivities({
      provider: scripted.provider,
      secrets: secretStore,
      lookAtRecords: scripted.lookAtRecords,
      webhookUrl: (tenantId) => `https://sendoff.test/webhooks/${tenantId}`,
    });
    const shared = { connection: environment.nativeConnection, namespace, activities, ...workerOptions };
    const steps = await Worker.create({
      ...shared,
      taskQueue: TASK_QUEUE,
      workflowBundle: await workflowBundle(),
      maxCachedWorkflows: 0,
      // Without a cache there is nothing to be sticky to.
      stickyQueueScheduleToStartTimeout: 0,
    });
    const polls = await Worker.create({ ...shared, taskQueue: pollsTaskQueue(TASK_QUEUE) });
    const onboardings = createOnboardings(environment.client, { uiUrl: undefined, taskQueue: TASK_QUEUE });
    const onboarding: OnboardingEnvironment = {
      server,
      scripted,
      secretStore,
      async start(input = validInput()) {
        const outcome = await onboardings.start(input);
        if (outcome.kind !== 'started') throw new Error(`not started: ${outcome.kind}`);
        return environment.client.workflow.getHandle(onboardingWorkflowId(input.tenantId), outcome.view.runId);
      },
      async history(handle) {
        const history = await handle.fetchHistory();
        return { json: historyToJSON(history), events: history.events?.length ?? 0 };
      },
      sleep: (duration) => environment.sleep(duration),
    };
    await steps.runUntil(polls.runUntil(use(onboarding)));
  } finally {
    await server.stop();
  }
}

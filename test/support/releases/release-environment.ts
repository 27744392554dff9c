import type { WorkflowHandle } from '@temporalio/client';
import { fileURLToPath } from 'node:url';
import { createActivities } from '../../../src/activities/index.ts';
import { backgroundTaskQueues, orchestratorTaskQueues } from '../../../src/client/worker-presence.ts';
import { onboardingParts, type OnboardingParts } from '../../../src/client/onboarding/onboarding-parts.ts';
import { patchActivation, type Patch } from '../../../src/lib/temporal/patches.ts';
import { startWorkers, type TemporalWorkers } from '../../../src/lib/temporal/temporal-workers.ts';
import { releaseOptions } from '../../../src/lib/temporal/worker-release.ts';
import { onboardingWorkflowId } from '../../../src/onboarding/onboarding-ids.ts';
import { onboardingInterceptors } from '../../../src/onboarding-workers.ts';
import { workerOptions } from '../../../src/worker-options.ts';
import { workflowsPath } from '../../../src/worker.ts';
import { providerReportedSignal } from '../../../src/workflows/messages.ts';
import { noOperatorAccounts } from '../no-operator-accounts.ts';
import { memorySecretStore, type Script, scriptedProvider } from '../scripted-provider.ts';
import { sharedDevServer, type TestServer } from '../temporal.ts';
import { openTestRegister, type TestRegister } from '../test-register.ts';
import { inputOf } from '../valid-input.ts';
import { workflowCode } from '../workflow-bundle.ts';

/** Files with Workflows, by release. */
export const releases = {
  present: workflowsPath,
  patched: fileURLToPath(new URL('./patched-release.ts', import.meta.url)),
  bad: fileURLToPath(new URL('./bad-release.ts', import.meta.url)),
} as const;

export const DEPLOYMENT = 'sendoff-worker';

export interface ReleaseWorkers {
  readonly workflowsPath: string;
  /** Undefined: without a version. */
  readonly buildId?: string;
  readonly patches?: Readonly<Record<string, Patch>>;
  /** @default '0.1.0' */
  readonly release?: string;
}

export interface ReleaseEnvironment
  extends Pick<OnboardingParts, 'onboardings' | 'views' | 'executions'>, Omit<TestRegister, 'end'> {
  readonly server: TestServer;
  readonly scripted: ReturnType<typeof scriptedProvider>;
  /** Whether the provider reports the domains as verified. @default false */
  publish: () => void;
  /** Starts the Workers of a release beside those that run. */
  readonly startRelease: (workers: ReleaseWorkers) => Promise<Pick<TemporalWorkers, 'stop'>>;
  /** Starts onboardings, and resolves once they wait for their domains. */
  readonly startWaiting: (...tenantIds: string[]) => Promise<void>;
  /** Gives the Workers a Workflow Task of the onboarding. */
  readonly wakeUp: (tenantId: string) => Promise<void>;
  readonly handleOf: (tenantId: string) => WorkflowHandle;
}

/** Onboardings on a real server whose Workers a test chooses: several releases, one after another and beside each other. */
export async function withReleases(
  use: (environment: ReleaseEnvironment) => Promise<void>,
  script: Partial<Script> = {},
): Promise<void> {
  const server = await sharedDevServer();
  const { end, ...stores } = await openTestRegister();
  const running: Pick<TemporalWorkers, 'stop'>[] = [];
  let isPublished = false;
  try {
    const { environment, namespace } = server;
    const { client, nativeConnection: connection } = environment;
    const scripted = scriptedProvider({
      verified: () => isPublished,
      dns: () => (isPublished ? 'published' : 'missing'),
      ...script,
    });
    const { provider, checkRecords } = scripted;
    const activities = createActivities({
      ...{ provider, operatorAccounts: noOperatorAccounts, secrets: memorySecretStore(), checkRecords },
      register: stores.register,
      webhookUrl: (tenantId) => `https://sendoff.test/webhooks/${tenantId}`,
    });
    const handleOf = (tenantId: string): WorkflowHandle => client.workflow.getHandle(onboardingWorkflowId(tenantId));
    const parts = onboardingParts(client, { ...stores, uiUrl: undefined });
    await use({
      ...{ ...stores, ...parts, server, handleOf, scripted },
      publish: () => {
        isPublished = true;
      },
      async startRelease({ workflowsPath: path, buildId, patches: known = {}, release = '0.1.0' }) {
        const version = buildId === undefined ? undefined : { deploymentName: DEPLOYMENT, buildId };
        const queues = [
          ...orchestratorTaskQueues({ providers: [], agentsMd: false }),
          ...backgroundTaskQueues({ notifications: false }),
        ];
        const each = new Map(queues.map((queue) => [queue.taskQueue, queue]));
        const code = await workflowCode(path);
        const workers = await startWorkers(
          [...each.values()].map(({ taskQueue, runsWorkflows }) => ({
            ...{ ...workerOptions, ...releaseOptions('sendoff-worker', { version, heldPatches: [] }) },
            ...{ connection, namespace, taskQueue, activities },
            interceptors: onboardingInterceptors(stores.register, { note: async () => false }),
            patchActivationCallback: patchActivation({ release, held: [], known }),
            ...(runsWorkflows ? code : {}),
          })),
        );
        running.push(workers);
        return workers;
      },
      async startWaiting(...tenantIds) {
        for (const tenantId of tenantIds) {
          const { kind } = await parts.onboardings.start(inputOf(tenantId));
          if (kind !== 'started') throw new Error(`not started: ${kind}`);
        }
        const isWaiting = async (tenantId: string): Promise<boolean> =>
          (await stores.register.get(tenantId))?.waiting?.activity === 'checkDomain';
        for (const tenantId of tenantIds) {
          while (!(await isWaiting(tenantId))) await new Promise((resolve) => setTimeout(resolve, 50));
        }
      },
      wakeUp: (tenantId) =>
        handleOf(tenantId).signal(providerReportedSignal, { eventId: tenantId, type: 'domain.verified' }),
    });
  } finally {
    await Promise.all(running.map((workers) => workers.stop()));
    await server.stop();
    await end();
  }
}

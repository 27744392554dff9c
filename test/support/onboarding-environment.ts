import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { expect, inject, onTestFinished, vi } from 'vitest';
import { createActivities } from '../../src/activities/index.ts';
import type { Database } from '../../src/store/database.ts';
import { endOfMissing, executionOf } from '../../src/client/onboarding/ended-onboardings.ts';
import type { OnboardingView } from '../../src/client/onboarding/onboarding-view.ts';
import { onboardingParts, type OnboardingParts } from '../../src/client/onboarding/onboarding-parts.ts';
import { onboardingFailure } from '../../src/client/onboarding/onboarding-executions.ts';
import type { OperatorAccount } from '../../src/email-provider/operator-account.ts';
import { createSqlAccountBlocks } from '../../src/store/onboarding/sql-account-blocks.ts';
import { createSqlProviderEvents } from '../../src/store/onboarding/provider-events.ts';
import type { EmailProvider } from '../../src/email-provider/email-provider.ts';
import type { OnboardingFailure } from '../../src/onboarding/failures.ts';
import type { ProviderName } from '../../src/onboarding/provider-name.ts';
import type { OnboardTenantInput } from '../../src/onboarding/input.ts';
import { eventData } from '../../src/http/schemas/events.ts';
import { onboardingWorkflowId } from '../../src/onboarding/onboarding-ids.ts';
import { onboardingInterceptors } from '../../src/onboarding-workers.ts';
import type { StoredRecord } from '../../src/store/onboarding/register.ts';
import { workerOptions } from '../../src/worker-options.ts';
import { workflowsPath } from '../../src/worker.ts';
import { pollsTaskQueue, providerTaskQueue } from '../../src/workflows/messages.ts';
import { searchAttributeKeys } from '../../src/workflows/search-attributes.ts';
import { holdOpen } from './hold-open.ts';
import {
  type Call,
  memorySecretStore,
  noAnswer,
  type Script,
  scriptedProvider,
  type ScriptedProvider,
} from './scripted-provider.ts';
import { expectDescribed } from './expect-described.ts';
import { openTestRegister } from './test-register.ts';
import { sharedDevServer, type TestServer, timeSkippingServer } from './temporal.ts';
import type { TimeSkippingServer } from './time-skipping-server.ts';
import { validInput } from './valid-input.ts';
import { workflowCode } from './workflow-bundle.ts';

export { inputOf, recipientOf, validInput } from './valid-input.ts';

/** The typed failure of an onboarding that has to fail. */
export async function failureOf(handle: WorkflowHandle): Promise<OnboardingFailure> {
  const error: unknown = await handle.result().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const failure = onboardingFailure(error);
  if (failure === undefined) throw new Error('the onboarding did not fail with a typed failure', { cause: error });
  return failure;
}

/** The onboarding ends as cancelled. */
export const expectCancelled = (handle: WorkflowHandle, message?: string): Promise<void> =>
  expect(handle.result(), message).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });

/** Cancels the onboarding, and waits for its undo. */
export async function cancel(handle: WorkflowHandle): Promise<void> {
  await handle.cancel();
  await expectCancelled(handle);
}

/** What the Temporal UI shows as current details. */
export async function currentDetailsOf(handle: WorkflowHandle): Promise<string> {
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

/** By the server's clock, which tests move; counted from the first call. */
export function hoursSinceFirstAsked(clock: () => Promise<number>): () => Promise<number> {
  let askedFirstAt: number | undefined;
  return async () => {
    const now = await clock();
    askedFirstAt ??= now;
    return (now - askedFirstAt) / 3_600_000;
  };
}

/** True once that many hours have gone by since it was asked first. */
export function afterHours(hours: number, clock: () => Promise<number>): () => Promise<boolean> {
  const elapsedHours = hoursSinceFirstAsked(clock);
  return async () => (await elapsedHours()) >= hours;
}

interface Outage {
  /** In hours from the first call that it may concern, as is `until`. @default 0 */
  readonly from?: number;
  /** @default for ever */
  readonly until?: number;
  /** The only call that it concerns. @default all */
  readonly of?: Call;
  readonly except?: Call;
  /** @default none is answered */
  readonly as?: (call: Call, hours: number) => Error;
}

/** A `before` that makes calls fail for hours, by the server's clock. */
export function outage(
  clock: () => Promise<number>,
  { from = 0, until = Infinity, of, except, as = (call) => noAnswer(call) }: Outage,
): Script['before'] {
  const elapsedHours = hoursSinceFirstAsked(clock);
  return async (call) => {
    if (call === except || (of !== undefined && call !== of)) return;
    const hours = await elapsedHours();
    if (hours >= from && hours < until) throw as(call, hours);
  };
}

/** From the start of a Workflow Execution to its end, by the server's clock. */
export async function hoursTaken(handle: WorkflowHandle): Promise<number> {
  const { startTime, closeTime } = await handle.describe();
  return ((closeTime?.getTime() ?? 0) - startTime.getTime()) / 3_600_000;
}

/**
 * The shortest pauses that the jitter allows, until the test ends: the time-skipping server gives an attempt the time of the one
 * before it, so that two pauses must fit into the hour that an inconclusive final check has left after its day. A real server
 * needs room for one.
 */
export function shortestPauses(): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => {
    random.mockRestore();
  });
}

export interface OnboardingEnvironment extends OnboardingParts {
  readonly server: TestServer;
  readonly scripted: ScriptedProvider;
  readonly secretStore: ReturnType<typeof memorySecretStore>;
  readonly database: Database;
  /** Of a tenant that has an onboarding. @default acme */
  readonly recordOf: (tenantId?: string) => Promise<StoredRecord>;
  readonly viewOf: (tenantId?: string) => Promise<OnboardingView>;
  /** Records the end of an execution that was terminated, as the sweep does, or deleted, as a cancellation does. */
  readonly recordEnd: (tenantId: string) => Promise<void>;
  /** Starts an onboarding the way the HTTP API does. @param provider of EMAIL_PROVIDER; default: the first of the accounts, if there is one */
  readonly start: (input?: OnboardTenantInput, provider?: ProviderName) => Promise<WorkflowHandle>;
  /** The Event History as `temporal workflow show --output json` prints it. */
  readonly history: (handle: WorkflowHandle) => Promise<{ json: string; events: number }>;
  /** Virtual time passes while it is awaited. */
  readonly sleep: (duration: string) => Promise<void>;
  /** Virtual time passes until this holds. */
  readonly until: (holds: () => boolean) => Promise<void>;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** @default false */
    replaysEachTask?: boolean;
  }
}

type Accounts = Partial<Record<ProviderName, OperatorAccount>>;
const NONE: Accounts = {};

const TASK_QUEUE = 'onboarding-test';

/** Real time, and the real server's rules of cancellation, which the time-skipping one does not share. */
export const realServer = sharedDevServer;

export interface EnvironmentOptions {
  /** @default a time-skipping one */
  readonly startServer?: () => Promise<TestServer | TimeSkippingServer>;
  readonly maxCachedWorkflows?: number;
  /** @default the one in memory */
  readonly provider?: EmailProvider;
  /** Every onboarding is at the first of them, if there is one. */
  readonly accounts?: Accounts;
}

/** Several onboardings at once: on the real server, for the time-skipping one and Core mix their Tasks up. */
export const manyOnboardings = (
  overrides: Partial<Script>,
  use: (environment: OnboardingEnvironment) => Promise<void>,
  options: Pick<EnvironmentOptions, 'provider' | 'accounts'> = {},
): Promise<void> => withOnboardings(overrides, use, { startServer: realServer, maxCachedWorkflows: 100, ...options });

/** The environment of `manyOnboardings` for all tests of a file. */
export const openOnboardings = (overrides: Partial<Script>, options?: Parameters<typeof manyOnboardings>[2]) =>
  holdOpen<OnboardingEnvironment>((use) => manyOnboardings(overrides, use, options));

/** An onboarding that has `waited` for its domain. One that still runs when `use` has returned is terminated. */
export const whileWaiting = (
  { waited, ...overrides }: Partial<Script> & { readonly waited: string },
  use: (environment: OnboardingEnvironment & { readonly handle: WorkflowHandle }) => Promise<void>,
): Promise<void> =>
  withOnboardings({ verified: () => false, ...overrides }, async (environment) => {
    const handle = await environment.start();
    await environment.sleep(waited);
    await use({ ...environment, handle });
    if ((await handle.describe()).status.name === 'RUNNING') await handle.terminate();
  });

/**
 * The orchestrator's Workflows and Activities on the time-skipping server, with a provider in memory. With that one, every Workflow Task
 * of the long tests replays its history, and non-determinism fails the Workflow at once; Core stumbles over that when several Workflows
 * run at once. When `use` has returned, the schemas must describe every event; then everything ends.
 */
export async function withOnboardings(
  overrides: Partial<Script> | ((clock: () => Promise<number>) => Partial<Script>),
  use: (environment: OnboardingEnvironment) => Promise<void>,
  {
    startServer = () => timeSkippingServer(searchAttributeKeys),
    provider,
    accounts = NONE,
    maxCachedWorkflows = inject('replaysEachTask') === true && provider === undefined && accounts === NONE ? 0 : 100,
  }: EnvironmentOptions = {},
): Promise<void> {
  const names = Object.keys(accounts) as ProviderName[];
  const [at] = names;
  const server = await startServer();
  const { register, claims, intents, watchedDomains, database, end } = await openTestRegister();
  let stopWatch = (): void => undefined;
  try {
    const { environment, namespace } = server;
    const clock = (): Promise<number> => environment.currentTimeMs();
    const scripted = scriptedProvider(typeof overrides === 'function' ? overrides(clock) : overrides);
    const secretStore = memorySecretStore();
    const activities = createActivities({
      provider: provider ?? scripted.provider,
      operatorAccounts: {
        configured: accounts,
        intents,
        events: createSqlProviderEvents(database),
        installationId: 'test',
      },
      secrets: secretStore,
      register,
      checkRecords: scripted.checkRecords,
      webhookUrl: (tenantId) => `https://sendoff.test/webhooks/${tenantId}`,
    });
    const shared = {
      connection: environment.nativeConnection,
      namespace,
      activities,
      ...workerOptions,
      interceptors: onboardingInterceptors(register, createSqlAccountBlocks(database)),
    };
    const steps = await Worker.create({
      ...shared,
      taskQueue: TASK_QUEUE,
      ...(await workflowCode(workflowsPath)),
      maxCachedWorkflows,
      // Without a cache there is nothing to be sticky to.
      ...(maxCachedWorkflows === 0 ? { stickyQueueScheduleToStartTimeout: 0 } : {}),
    });
    const polls = await Worker.create({ ...shared, taskQueue: pollsTaskQueue(TASK_QUEUE) });
    const requests = await Promise.all(
      names.map((name) => Worker.create({ ...shared, taskQueue: providerTaskQueue(TASK_QUEUE, name) })),
    );
    const stores = { register, claims, intents, watchedDomains, uiUrl: undefined };
    const partsAt = (name?: ProviderName): OnboardingParts =>
      onboardingParts(environment.client, {
        ...stores,
        taskQueue: TASK_QUEUE,
        ...(name !== undefined && { provider: name }),
      });
    const parts = partsAt(at);
    const onboarding: OnboardingEnvironment = {
      server,
      scripted,
      secretStore,
      database,
      ...parts,
      recordOf: async (tenantId = 'acme') => (await register.get(tenantId)) ?? expect.fail(`no record of ${tenantId}`),
      viewOf: async (tenantId = 'acme') => (await parts.views.get(tenantId)) ?? expect.fail(`no view of ${tenantId}`),
      async recordEnd(tenantId) {
        const record = await parts.register.get(tenantId);
        if (record?.outcome !== 'running') return;
        const found = await executionOf(environment.client, record);
        if (found === 'running') return;
        await parts.register.end(found === 'missing' ? endOfMissing(record) : found);
      },
      async start(input = validInput(), name = at) {
        const outcome = await partsAt(name).onboardings.start(input);
        if (outcome.kind !== 'started') throw new Error(`not started: ${outcome.kind}`);
        return environment.client.workflow.getHandle(onboardingWorkflowId(input.tenantId), outcome.record.runId);
      },
      async history(handle) {
        const history = await handle.fetchHistory();
        return { json: historyToJSON(history), events: history.events?.length ?? 0 };
      },
      sleep: (duration) => environment.sleep(duration),
      async until(holds) {
        for (let tries = 0; tries < 100 && !holds(); tries += 1) await environment.sleep('10 seconds');
        expect(holds()).toBe(true);
      },
    };
    if ('keepSkipping' in server) stopWatch = server.keepSkipping([steps, polls, ...requests]);
    const used = use(onboarding).then(async () => {
      expectDescribed(eventData, await register.events({ after: 0, limit: 1_000 }));
    });
    try {
      await [...requests, polls, steps].reduce((until, worker) => worker.runUntil(until), used);
    } catch (error) {
      // A test that fails with a call still held leaves a Worker that cannot stop, and whose error says nothing.
      await used;
      throw error;
    }
  } finally {
    stopWatch();
    await server.stop();
    await end();
  }
}

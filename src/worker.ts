import type { Client } from '@temporalio/client';
import { type NativeConnection, Runtime, type WorkerOptions } from '@temporalio/worker';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getServers } from 'node:dns';
import { producersSchedule } from './client/agents-md/producers-schedule.ts';
import { keepSchedules } from './client/upkeep/orchestrator-singletons.ts';
import { createPlaceFetcher } from './code-host/fetch-place.ts';
import type { WorkerConfig } from './config.ts';
import { createHttpEmailProvider } from './email-provider/adapters/sendoff/sendoff-provider.ts';
import { healthRoutes } from './http/routes/health.ts';
import { type Closers, openTogether } from './lib/closers.ts';
import { addressPolicy } from './lib/dns/address-policy.ts';
import { checkRecords } from './lib/dns/check-records.ts';
import type { ExpectedRecord } from './lib/dns/expected-record.ts';
import { createAuthoritativeResolver } from './lib/dns/resolver/authoritative-resolver.ts';
import { createHealthApp } from './lib/http/create-health-app.ts';
import { listen } from './lib/http/listen.ts';
import { connectWorker } from './lib/temporal/connect-worker.ts';
import type { TemporalConfig } from './lib/temporal/temporal-config.ts';
import { keepSchedule } from './lib/temporal/keep-schedule.ts';
import { keepWorkers, type KeptWorkers } from './lib/temporal/keep-workers.ts';
import { describeGaps, isOfNamespace } from './lib/temporal/setup/setup-gap.ts';
import type { TemporalWorkers } from './lib/temporal/temporal-workers.ts';
import { type PollWatch, watchPolls } from './lib/temporal/watch-polls.ts';
import { patches } from './lib/temporal/patches.ts';
import { releaseOptions, unknownPatches } from './lib/temporal/worker-release.ts';
import { workflowBundleOf } from './lib/temporal/workflow-bundle.ts';
import { createWebhookClient } from './lib/webhooks/webhook-client.ts';
import { operatorAccounts, requireUsable } from './operator-accounts.ts';
import { openOrchestratorParts, type OrchestratorParts } from './orchestrator-parts.ts';
import { measuredAccounts, measuredCalls } from './provider-requests.ts';
import { EMBEDDED } from './onboarding/provider-name.ts';
import { patchesOfSteps } from './onboarding/steps.ts';
import { createSqlProviderEvents } from './store/onboarding/provider-events.ts';
import { createSqlProviderIntents } from './store/onboarding/provider-intents.ts';
import { installationIdOf } from './lib/sql/installation-id.ts';
import { createSqlCheckStore } from './store/agents-md/check-store.ts';
import { createSqlSharedPauses } from './store/agents-md/sql-shared-pauses.ts';
import { createSqlProducers } from './store/agents-md/sql-producers.ts';
import { createSqlSecretStore } from './store/secret-store.ts';
import { keepOrchestratorFigures } from './orchestrator-figures.ts';
import { agentsMdWorkers } from './agents-md-workers.ts';
import { onboardingWorkers } from './onboarding-workers.ts';
import { upkeepWorkers } from './upkeep-workers.ts';
import { type TaskQueueWorker, workerOptions } from './worker-options.ts';

export interface RunningWorker {
  /** Undefined without a health port. */
  readonly healthUrl: string | undefined;
  /** Resolves when the Workers have ended; rejects if one failed. Call `stop` in both cases. */
  readonly run: Promise<void>;
  stop(): Promise<void>;
}

/** In the names of the Workers. */
const WORKER_PROGRAM = 'sendoff-worker';

/** `.ts` in a clone, `.js` in the built package. */
export const workflowsPath = fileURLToPath(new URL(`./workflows/index${extname(import.meta.url)}`, import.meta.url));

/**
 * Runs the orchestrator's Workflows and Activities. Resolves once every Worker polls; if one cannot, throws with nothing left
 * open.
 */
export const startWorker = (config: WorkerConfig, temporal: TemporalConfig): Promise<RunningWorker> =>
  openTogether(async (closers) => {
    const warn = (message: string, meta: object): void => {
      Runtime.instance().logger.warn(message, { ...meta });
    };
    const parts = await openOrchestratorParts(closers, { connect: connectWorker, config, temporal, warn });
    const workers = await runWorkers(closers, parts, warn);
    const { healthPort } = config;
    if (healthPort === undefined) return { healthUrl: undefined, run: workers.run, stop: closers.close };
    const { findSetupGaps, checkDatabase } = parts;
    const health = createHealthApp('orchestrator', (app) => {
      const { areRunning: areWorkersRunning, polls } = workers;
      healthRoutes(app, { findSetupGaps, checkDatabase, areWorkersRunning, polls });
    });
    closers.add(() => health.close());
    const healthUrl = await listen(health, {
      ...{ host: config.host, port: healthPort },
      settings: { host: 'SENDOFF_HOST', port: 'SENDOFF_HEALTH_PORT' },
    });
    return { healthUrl, run: workers.run, stop: closers.close };
  });

/**
 * Starts the Workers, and adapts the Schedules to the settings. Onboardings go on while a background Namespace of its own is missing or
 * refuses the credentials; without their own one, they go on once it can be used.
 */
export async function runWorkers(
  closers: Closers,
  parts: OrchestratorParts & { readonly connection: NativeConnection },
  warn: (message: string, meta: object) => void,
): Promise<TemporalWorkers & { readonly polls: PollWatch }> {
  const { config, dataConverter, connection, client, background, database, sealer, register } = parts;
  const emailService = createHttpEmailProvider({
    baseUrl: config.providerUrl,
    operatorToken: config.providerOperatorToken,
  });
  closers.add(() => emailService.close());
  const provider = measuredCalls(emailService, EMBEDDED);
  const resolver = createAuthoritativeResolver({
    resolvers: config.dnsResolvers ?? getServers(),
    port: config.dnsPort,
    mayAsk: addressPolicy(config),
  });
  const accounts = measuredAccounts(operatorAccounts(closers, config.accounts));
  await requireUsable(accounts, config, warn);
  const dependencies = {
    provider,
    operatorAccounts: {
      configured: accounts,
      intents: createSqlProviderIntents(database),
      events: createSqlProviderEvents(database),
      installationId: await installationIdOf(database),
    },
    secrets: createSqlSecretStore(database, sealer),
    register,
    checkRecords: (domain: string, expected: readonly ExpectedRecord[]) => checkRecords(resolver, domain, expected),
  };
  const { agentsMd } = config;
  const sharedPauses = createSqlSharedPauses(database);
  const placeFetcher =
    agentsMd && createPlaceFetcher({ contact: agentsMd.contact, urls: agentsMd.hostUrls, sharedPauses });
  closers.add(() => placeFetcher?.close());
  // The operator's own receivers may have private addresses.
  const webhookClient = createWebhookClient({ allowHttp: true, mayConnectTo: () => true, now: () => new Date() });
  closers.add(() => webhookClient.close());
  const checks = createSqlCheckStore(database);
  const producers = createSqlProducers(database);
  const known = { ...patches, ...patchesOfSteps() };
  const unknown = unknownPatches(config.release, known);
  if (unknown.length > 0) warn('SENDOFF_HOLD_PATCHES names patches that this release does not have', { unknown });
  const ofRelease = releaseOptions(WORKER_PROGRAM, config.release, known);
  // Shared by all Workers that run Workflows.
  const workflowBundle = await workflowBundleOf(workflowsPath);
  const inNamespaceOf = ({ options: { namespace } }: Client, workers: readonly TaskQueueWorker[]): WorkerOptions[] =>
    workers.map(({ runsWorkflows, ...options }) => ({
      ...{ ...workerOptions, ...ofRelease, connection, namespace, ...(dataConverter && { dataConverter }), ...options },
      ...(runsWorkflows ? { workflowBundle } : {}),
    }));
  const own = inNamespaceOf(client, [
    ...onboardingWorkers(parts, dependencies),
    ...(agentsMd && placeFetcher ? agentsMdWorkers(agentsMd, { checks, producers, placeFetcher, webhookClient }) : []),
  ]);
  const upkeep = inNamespaceOf(background, upkeepWorkers(parts, { ...dependencies, webhookClient }));
  const isApart = background !== client;
  const keep = async (options: readonly WorkerOptions[], isBackground: boolean): Promise<KeptWorkers> => {
    const kept = await keepWorkers(options, { findFault: () => faultOf(parts, isBackground), warn });
    closers.add(() => kept.stop());
    return kept;
  };
  const started = isApart ? own : onePerTaskQueue([...own, ...upkeep]);
  const workers = await keep(started, false);
  const apart = isApart ? await keep(upkeep, true) : undefined;
  await keepSchedules(background, config.watchIntervalMs);
  await keepSchedule(client, producersSchedule(agentsMd !== undefined));
  const polls = watchPolls(connection, apart === undefined ? started : [...started, ...upkeep], {
    warn,
    isExpected: (namespace) => (namespace === client.options.namespace ? workers : apart)?.areStarted() === true,
    isFull: (options) => workers.isFull(options) || apart?.isFull(options) === true,
  });
  closers.add(() => {
    polls.close();
  });
  closers.add(keepOrchestratorFigures(parts));
  // Both end when they are stopped; if one fails, the process ends.
  const run = Promise.all([workers.run, apart?.run]).then(() => undefined);
  // The caller listens once its own server does; until then a failure must not end the process as unhandled.
  run.catch(() => undefined);
  return { ...workers, polls, run };
}

/** Why nothing can run in one of the two Namespaces. */
async function faultOf({ findSetupGaps }: OrchestratorParts, isBackground: boolean): Promise<string | undefined> {
  const gaps = (await findSetupGaps()).filter(
    (gap) => (gap.background === true) === isBackground && isOfNamespace(gap),
  );
  return gaps.length === 0 ? undefined : describeGaps(gaps);
}

/** Where both Namespaces are one, so is the Task Queue of Workflows: one Worker runs the Activities of both. */
function onePerTaskQueue(workers: readonly WorkerOptions[]): readonly WorkerOptions[] {
  const each = new Map<string, WorkerOptions>();
  for (const worker of workers) {
    const key = JSON.stringify([worker.namespace, worker.taskQueue]);
    const first = each.get(key);
    each.set(key, { ...worker, ...first, activities: { ...worker.activities, ...first?.activities } });
  }
  return [...each.values()];
}

import type { Client, WorkflowClient } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import { type Closers, openTogether } from '../../lib/closers.ts';
import { installationIdOf } from '../../lib/sql/installation-id.ts';
import type { AuthoritativeResolver } from '../../lib/dns/resolver/authoritative-resolver.ts';
import type { ExpectedRecord } from '../../lib/dns/expected-record.ts';
import { checkRecords } from '../../lib/dns/check-records.ts';
import { addressPolicy } from '../../lib/dns/address-policy.ts';
import type { Sealer } from '../../lib/sealing.ts';
import type { TemporalConfig } from '../../lib/temporal/temporal-config.ts';
import { connectWorker } from '../../lib/temporal/connect-worker.ts';
import { createClient } from '../../lib/temporal/create-client.ts';
import { keepSchedule } from '../../lib/temporal/keep-schedule.ts';
import { requireKnownNamespace } from '../../lib/temporal/recognize-namespace.ts';
import { refusesCredentials } from '../../lib/temporal/grpc-code.ts';
import { keepWorkers } from '../../lib/temporal/keep-workers.ts';
import { keepSingletons, singletonState } from '../../lib/temporal/singletons.ts';
import { describeGaps, SETUP_COMMAND } from '../../lib/temporal/setup/setup-gap.ts';
import { findNamespaceId } from '../../lib/temporal/setup/find-setup-gaps.ts';
import type { TemporalWorkers } from '../../lib/temporal/temporal-workers.ts';
import { type PollWatch, watchPolls } from '../../lib/temporal/watch-polls.ts';
import { createActivities, createAttempts } from '../activities/index.ts';
import { recordOutcomes } from '../activities/record-outcomes.ts';
import type { Attempted } from '../activities/settle-attempt.ts';
import type { Background } from './background-port.ts';
import type { EmailServiceConfig } from '../config.ts';
import { createDeliverMessage } from '../delivery/deliver-message.ts';
import { createIdleSessions } from '../delivery/idle-sessions.ts';
import { createPolicyClient } from '../delivery/fetch-mta-sts-policy.ts';
import { createFindMtaStsPolicy } from '../delivery/find-mta-sts-policy.ts';
import { createMailResolver, createMailRouter } from '../delivery/mail-route.ts';
import { mtaStsPolicies } from '../store/mta-sts-policies.ts';
import { createOutboxDispatcher, type OutboxDispatcher } from './outbox-dispatcher.ts';
import { type OutboxStarter, verifyDomainStart } from '../store/outbox.ts';
import { workflowSummary } from '../store/workflow-summary.ts';
import { keepEmailServiceFigures } from './figures.ts';
import { createFirstAttempts, type FirstAttempts } from './first-attempts.ts';
import { emailServiceRetentionSchedule, emailServiceSingletons } from './email-service-singletons.ts';
import { emailServiceProgram, joinNamespace } from './join-namespace.ts';
import type { Store } from '../store/open-store.ts';
import { createWebhookClient } from '../../lib/webhooks/webhook-client.ts';
import { emailServiceWorkers } from './email-service-workers.ts';
import { emailServiceNames, type EmailServiceNames } from '../workflows/email-service-names.ts';
import type { verifyDomain } from '../workflows/verify-domain.ts';
import { checkNowSignal } from '../workflows/messages.ts';

export type BackgroundSettings = Pick<
  EmailServiceConfig,
  | 'hostname'
  | 'smtpPort'
  | 'smtpRelayUrl'
  | 'allowPrivateAddresses'
  | 'blockedNetworks'
  | 'dnsResolvers'
  | 'retention'
  | 'pauseBounceRate'
  | 'sendingLimits'
  | 'release'
>;

export interface BackgroundOptions {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly settings: BackgroundSettings;
  readonly resolver: AuthoritativeResolver;
  readonly logger: Logger;
  /** With the Namespace of the email service. */
  readonly temporal: TemporalConfig;
  /** URL of the store, without a password. */
  readonly databaseUrl: string;
  readonly now: () => Date;
  /** @default 20 seconds */
  readonly singletonsEveryMs?: number;
  /** False in a process that only accepts requests. */
  readonly runsWorkers: boolean;
}

export interface RunningBackground extends Background {
  /** Resolves after `stop`. Rejects if a Worker fails, which ends the process. */
  readonly run: Promise<void>;
  /** Starts the Workflows of unclaimed outbox rows. Returns at once and never throws. */
  readonly dispatchSoon: () => void;
  /** Gives running Activities some seconds to finish. The store may be closed afterwards. */
  stop(): Promise<void>;
}

/** An HTTP request waits for these calls, so an unreachable Temporal must fail them soon. */
const CALL_TIMEOUT_MS = 5_000;
/** At the start no request waits; a program that gives up while Temporal is busy would only be started again. */
const START_TIMEOUT_MS = 15_000;
const NOT_SET_UP = `the Temporal Namespace of the email service does not exist (create it with ${SETUP_COMMAND})`;
/** Probes of container orchestrators give up after one to a few seconds. */
const READY_TIMEOUT_MS = 2_000;
/** From the start of the stop. A write may then wait five more seconds for a lock; a container usually has 30. */
const RECORD_OUTCOMES_MS = 20_000;

/**
 * Starts what happens after a request was answered: outbox dispatch, and with `runsWorkers` also first attempts, deliveries,
 * checks and webhooks. Throws, with nothing left open, if Temporal is unreachable at the start; a later outage only delays work.
 */
export const startBackground = (options: BackgroundOptions): Promise<RunningBackground> =>
  openTogether(async (closers) => {
    const { store, settings, logger, databaseUrl } = options;
    const { connectionOptions, namespace, dataConverter } = options.temporal;
    const names = emailServiceNames(await installationIdOf(store));
    const connection = await connectWorker(connectionOptions);
    closers.add(() => connection.close());
    const client = createClient({ connection, namespace, dataConverter });
    const { workflow: workflows } = client;
    const withDeadline = <T>(timeoutMs: number, call: () => Promise<T>): Promise<T> =>
      connection.withDeadline(Date.now() + timeoutMs, call);
    const namespaceId = await withDeadline(START_TIMEOUT_MS, () =>
      joinNamespace({ store, connection, namespace, dataConverter, databaseUrl, names }),
    );
    // Without Workers, too: the sweep shows the other processes which Namespace this database uses.
    const singletons = emailServiceSingletons(client, names, settings.hostname);
    const program = emailServiceProgram(databaseUrl);
    const keeper = await keepSingletons(client, singletons, {
      confirmNamespace: () =>
        withDeadline(START_TIMEOUT_MS, () =>
          requireKnownNamespace({ database: store, connection, namespace, program }),
        ),
      warn: (message, meta) => {
        logger.warn(meta, message);
      },
      everyMs: options.singletonsEveryMs,
    });
    closers.add(() => keeper.close());

    const dispatcher = createOutboxDispatcher({ store, workflows, names, withDeadline, logger });
    closers.add(() => dispatcher.stop());
    /** Why nothing can run in the Namespace. */
    const findFault = (): Promise<string | undefined> =>
      withDeadline(READY_TIMEOUT_MS, async () => {
        const foundId = await findNamespaceId(connection, namespace);
        if (foundId === undefined) return NOT_SET_UP;
        return foundId === namespaceId ? undefined : describeGaps([{ kind: 'other_namespace', name: namespace }]);
      }).catch((error: unknown) => {
        if (refusesCredentials(error)) return describeGaps([{ kind: 'namespace_refused', name: namespace }]);
        throw error;
      });
    const workers = options.runsWorkers
      ? await runWorkers({ options, client, connection, names, dispatcher, closers, findFault })
      : withoutWorkers(closers);
    dispatcher.dispatchSoon();

    return {
      run: workers.run,
      makesFirstAttempts: workers.firstAttempts !== undefined,
      begin: workers.firstAttempts?.begin ?? dispatcher.dispatchSoon,
      firstAttemptEnded: workers.firstAttempts?.ended ?? (() => undefined),
      dispatchSoon: dispatcher.dispatchSoon,
      requestDomainCheck: (domainId) =>
        withDeadline(CALL_TIMEOUT_MS, () => signalCheckNow(domainId, { workflows, names, store })),
      readiness: async () => {
        const unreachable = (): readonly string[] => ['Temporal is unreachable'];
        const fault = await findFault().then((found) => (found === undefined ? [] : [found]), unreachable);
        if (fault.length > 0) return fault;
        if (!workers.areRunning()) return ['the Workers have stopped'];
        const unseenOn = workers.polls?.unseenOn() ?? [];
        if (unseenOn.length > 0) return [`Temporal has not seen this process poll ${unseenOn.join(', ')}`];
        return withDeadline(READY_TIMEOUT_MS, async () => {
          const { missing } = await singletonState(client, singletons);
          return missing.map((gap) => describeGaps([gap]));
        }).catch(unreachable);
      },
      isLost: () => workers.polls?.isLost() === true,
      stop: closers.close,
    };
  });

interface WorkersToRun {
  readonly options: BackgroundOptions;
  readonly client: Client;
  readonly connection: NativeConnection;
  readonly names: EmailServiceNames;
  readonly dispatcher: OutboxDispatcher;
  readonly closers: Closers;
  readonly findFault: () => Promise<string | undefined>;
}

type RunningWorkers = Pick<TemporalWorkers, 'run' | 'areRunning'> & {
  readonly firstAttempts?: FirstAttempts;
  readonly polls?: PollWatch;
};

async function runWorkers(parts: WorkersToRun): Promise<RunningWorkers> {
  const { options, client, connection, names, dispatcher, closers, findFault } = parts;
  const { store, settings, resolver, logger, now, temporal } = options;
  const mayConnectTo = addressPolicy(settings);
  const warn = (message: string, meta: object): void => {
    logger.warn(meta, message);
  };
  const webhookClient = createWebhookClient({
    allowHttp: settings.allowPrivateAddresses,
    mayConnectTo,
    now,
  });
  closers.add(() => webhookClient.close());
  const unrecorded = new Map<string, Attempted>();
  const beginner: OutboxStarter = {
    makesFirstAttempts: true,
    begin: (attempt) => {
      firstAttempts.begin(attempt);
    },
  };
  const idleSessions = createIdleSessions();
  closers.add(idleSessions.close);
  const mailResolver = createMailResolver(settings.dnsResolvers);
  const policyClient = createPolicyClient({ resolver: mailResolver, mayConnectTo });
  closers.add(() => policyClient.close());
  const findPolicy = createFindMtaStsPolicy({
    ...{ resolver: mailResolver, client: policyClient, policies: mtaStsPolicies(store), now, logger },
  });
  // Not all of them: what Activities have must not name keys, nor a database with its password.
  const { hostname, retention, pauseBounceRate, sendingLimits } = settings;
  const dependencies = {
    ...options,
    ...{ hostname, retention, pauseBounceRate, sendingLimits },
    checkRecords: (domain: string, expected: readonly ExpectedRecord[]) => checkRecords(resolver, domain, expected),
    deliverMessage: createDeliverMessage({
      ...settings,
      idleSessions,
      findMailRoute: createMailRouter(mailResolver, mayConnectTo, findPolicy),
    }),
    beginner,
    dispatcher,
    webhookClient,
    unrecorded,
  };
  const attempts = createAttempts(dependencies);
  const firstAttempts = createFirstAttempts({ store, attempts, dispatcher, logger });
  const activities = createActivities(attempts, dependencies);
  const { release } = settings;
  const started = await emailServiceWorkers({ ...temporal, connection, names, activities, release, logger });
  const workers = await keepWorkers(started, { findFault, warn });
  closers.add(async () => {
    const lastTryAt = performance.now() + RECORD_OUTCOMES_MS;
    await Promise.all([workers.stop(), firstAttempts.stop()]);
    await recordOutcomes(unrecorded, { ...dependencies, lastTryAt });
  });
  await keepSchedule(client, emailServiceRetentionSchedule(names));
  const polls = watchPolls(connection, started, {
    ...{ isFull: workers.isFull, isExpected: workers.areStarted, warn },
  });
  closers.add(() => {
    polls.close();
  });
  closers.add(keepEmailServiceFigures(store));
  return { ...workers, firstAttempts, polls };
}

/** Runs until it is stopped, as Workers do. */
function withoutWorkers(closers: Closers): RunningWorkers {
  const run = new Promise<void>((resolve) => {
    closers.add(resolve);
  });
  return { run, areRunning: () => true };
}

/** Starts the Workflow again for a domain whose 30 days are over. */
async function signalCheckNow(
  domainId: string,
  { workflows, names, store }: { workflows: WorkflowClient; names: EmailServiceNames; store: Store },
): Promise<void> {
  const { workflowId, workflowType, input } = verifyDomainStart(domainId);
  const staticSummary = await workflowSummary(store, { workflow_type: workflowType, input: JSON.stringify(input) });
  await workflows.signalWithStart<typeof verifyDomain>('verifyDomain', {
    workflowId: names.workflowId(workflowId),
    taskQueue: names.taskQueue,
    args: [{ domainId }],
    signal: checkNowSignal,
    ...(staticSummary === undefined ? {} : { staticSummary }),
  });
}

import { emailServiceNames } from '../../../email-service/workflows/email-service-names.ts';
import { findSilentTaskQueues } from '../../../lib/temporal/find-silent-task-queues.ts';
import type { PolledTaskQueue } from '../../../lib/temporal/last-poll.ts';
import { installationIdOf } from '../../../lib/sql/installation-id.ts';
import { backgroundTaskQueues, orchestratorTaskQueues, probeWorkers } from '../../../client/worker-presence.ts';
import { providersWith } from '../../../provider-settings.ts';
import { type Diagnosis, ok, problem } from '../check.ts';
import { check, needed, type Temporal } from '../doctor-context.ts';

const START_WORKER = 'Start a Worker, and read its log if it ends: sendoff worker';
const RELIEVE = 'It is busy or blocked: read its log, and start another one if it stays so: sendoff worker';
const START_EMAIL_SERVICE = 'Start the email service, and read its log if it ends: sendoff email-service';

/** Long enough for a Worker that has just been started. */
const QUERY_TIMEOUT_MS = 6_000;

export const workersCheck = check('Workers', async (context) => {
  const temporal = await context.temporal();
  const namespace = await context.namespace();
  const settings = await context.settings('AGENTS_MD_CONTACT', 'SENDOFF_NOTIFICATION_URL');
  const providers = await needed('settings', async () => providersWith(await context.accountSettings()));
  const background = await context.backgroundNamespace();
  const [workers, finding] = await Promise.all([
    needed('Namespace', () => probeWorkers(temporal.clientOf(namespace), { timeoutMs: QUERY_TIMEOUT_MS })),
    pollersFinding(temporal, START_WORKER, [
      {
        ...{ namespace, check: 'Namespace' },
        queues: orchestratorTaskQueues({ providers, agentsMd: settings.AGENTS_MD_CONTACT !== undefined }),
      },
      {
        ...{ namespace: background, check: 'background Namespace' },
        queues: backgroundTaskQueues({ notifications: settings.SENDOFF_NOTIFICATION_URL !== undefined }),
      },
    ]),
  ]);
  // A Worker that was killed stays listed as a poller for a minute.
  if (finding.state !== 'ok' || workers === 'answering') return finding;
  return workers === 'busy'
    ? problem(
        `a Worker of Namespace ${namespace} polls, but has not answered for ${QUERY_TIMEOUT_MS / 1_000} s`,
        RELIEVE,
      )
    : problem(`no Worker answers on the Task Queue of Namespace ${namespace}`, START_WORKER);
});

export const emailServiceWorkersCheck = check('email service Workers', async (context) => {
  const temporal = await context.temporal();
  const namespace = await context.emailServiceNamespace();
  const names = await needed('email service database', async () =>
    emailServiceNames(await installationIdOf((await context.store()).database)),
  );
  const queues = [
    { taskQueue: names.taskQueue, runsWorkflows: true },
    { taskQueue: names.deliveriesTaskQueue, runsWorkflows: false },
  ];
  return pollersFinding(temporal, START_EMAIL_SERVICE, [{ namespace, check: 'email service Namespace', queues }]);
});

interface PolledNamespace {
  readonly namespace: string;
  /** The check that says whether it exists. */
  readonly check: string;
  readonly queues: readonly PolledTaskQueue[];
}

async function pollersFinding(
  { connection }: Temporal,
  remedy: string,
  namespaces: readonly PolledNamespace[],
): Promise<Diagnosis> {
  const faults: string[] = [];
  for (const { namespace, check, queues } of namespaces) {
    const silent = await needed(check, () => findSilentTaskQueues(connection, namespace, queues));
    if (silent.length > 0) faults.push(`${silent.map(({ taskQueue }) => taskQueue).join(', ')} in ${namespace}`);
  }
  if (faults.length > 0) return problem(`no Worker polls ${faults.join('; ')}`, remedy);
  return ok(`${namespaces.flatMap(({ queues }) => queues).length} Task Queues are polled`);
}

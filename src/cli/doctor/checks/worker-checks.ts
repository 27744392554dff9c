import { emailServiceNames } from '../../../email-service/workflows/email-service-names.ts';
import { findSilentTaskQueues, type PolledTaskQueue } from '../../../lib/temporal/find-silent-task-queues.ts';
import { installationIdOf } from '../../../lib/sql/installation-id.ts';
import { orchestratorTaskQueues, probeWorkers } from '../../../client/worker-presence.ts';
import { type Check, type Finding, ok, problem } from '../check.ts';
import { type DoctorContext, needed, type Temporal } from '../doctor-context.ts';
import { emailServiceNamespace, sendoffNamespace } from './temporal-checks.ts';

const START_WORKER = 'Start a Worker, and read its log if it ends: sendoff worker';
const RELIEVE = 'It is busy or blocked: read its log, and start another one if it stays so: sendoff worker';
const START_EMAIL_SERVICE = 'Start the email service, and read its log if it ends: sendoff email-service';

/** Long enough for a Worker that has just been started. */
const QUERY_TIMEOUT_MS = 6_000;

export const workersCheck = (context: DoctorContext): Check => ({
  name: 'Workers',
  run: async () => {
    const temporal = await needed('Temporal', context.temporal);
    const namespace = await needed('settings', () => sendoffNamespace(context.environment));
    const settings = await needed('settings', () => context.settings('AGENTS_MD_CONTACT', 'SENDOFF_NOTIFICATION_URL'));
    const queues = orchestratorTaskQueues({
      agentsMd: settings.AGENTS_MD_CONTACT !== undefined,
      notifications: settings.SENDOFF_NOTIFICATION_URL !== undefined,
    });
    const [workers, finding] = await needed('Namespace', () =>
      Promise.all([
        probeWorkers(temporal.clientOf(namespace), { timeoutMs: QUERY_TIMEOUT_MS }),
        pollersFinding(temporal, { namespace, namespaceName: 'Namespace', queues, remedy: START_WORKER }),
      ]),
    );
    // A Worker that was killed stays listed as a poller for a minute.
    if (finding.state !== 'ok' || workers === 'answering') return finding;
    return workers === 'busy'
      ? problem(
          `a Worker of Namespace ${namespace} polls, but has not answered for ${QUERY_TIMEOUT_MS / 1_000} s`,
          RELIEVE,
        )
      : problem(`no Worker answers on the Task Queue of Namespace ${namespace}`, START_WORKER);
  },
});

export const emailServiceWorkersCheck = (context: DoctorContext): Check => ({
  name: 'email service Workers',
  run: async () => {
    const temporal = await needed('Temporal', context.temporal);
    const namespace = await needed('email service settings', () => emailServiceNamespace(context.environment));
    const names = await needed('email service database', async () =>
      emailServiceNames(await installationIdOf((await context.store()).database)),
    );
    return pollersFinding(temporal, {
      namespace,
      namespaceName: 'email service Namespace',
      queues: [
        { taskQueue: names.taskQueue, runsWorkflows: true },
        { taskQueue: names.deliveriesTaskQueue, runsWorkflows: false },
      ],
      remedy: START_EMAIL_SERVICE,
    });
  },
});

async function pollersFinding(
  { connection }: Temporal,
  {
    namespace,
    namespaceName,
    queues,
    remedy,
  }: { namespace: string; namespaceName: string; queues: readonly PolledTaskQueue[]; remedy: string },
): Promise<Finding> {
  const silent = await needed(namespaceName, () => findSilentTaskQueues(connection, namespace, queues));
  if (silent.length === 0) return ok(`${queues.length} Task Queues are polled`);
  return problem(`no Worker polls ${silent.map(({ taskQueue }) => taskQueue).join(', ')}`, remedy);
}

import { findSilentTaskQueues } from '../../../lib/temporal/find-silent-task-queues.ts';
import { installationIdOf } from '../../../lib/sql/installation-id.ts';
import { probeWorkers } from '../../../client/worker-presence.ts';
import { emailServiceNamespace, orchestratorNamespaces, type PolledNamespace } from '../../polled-namespaces.ts';
import { type Diagnosis, ok, problem } from '../check.ts';
import { check, needed, type Temporal } from '../doctor-context.ts';

const START_WORKER = 'Start a Worker, and read its log if it ends: sendoff worker';
const RELIEVE = 'It is busy or blocked: read its log, and start another one if it stays so: sendoff worker';
const START_EMAIL_SERVICE = 'Start the email service, and read its log if it ends: sendoff email-service';

/** Long enough for a Worker that has just been started. */
const QUERY_TIMEOUT_MS = 6_000;

export const workersCheck = check('Workers', async (context) => {
  const temporal = await context.temporal();
  const [own, background] = await needed('settings', () => orchestratorNamespaces(context.environment));
  const { namespace } = own;
  const [workers, finding] = await Promise.all([
    needed('Namespace', () => probeWorkers(temporal.clientOf(namespace), { timeoutMs: QUERY_TIMEOUT_MS })),
    pollersFinding(temporal, START_WORKER, { Namespace: own, 'background Namespace': background }),
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
  const { database } = await context.store();
  const id = await needed('email service database', () => installationIdOf(database));
  const polled = await needed('email service settings', () => emailServiceNamespace(context.environment, id));
  return pollersFinding(temporal, START_EMAIL_SERVICE, { 'email service Namespace': polled });
});

/** @param namespaces by the check that says whether it exists */
async function pollersFinding(
  { connection }: Temporal,
  remedy: string,
  namespaces: Readonly<Record<string, PolledNamespace>>,
): Promise<Diagnosis> {
  const faults: string[] = [];
  for (const [check, { namespace, queues }] of Object.entries(namespaces)) {
    const silent = await needed(check, () => findSilentTaskQueues(connection, namespace, queues));
    if (silent.length > 0) faults.push(`${silent.map(({ taskQueue }) => taskQueue).join(', ')} in ${namespace}`);
  }
  if (faults.length > 0) return problem(`no Worker polls ${faults.join('; ')}`, remedy);
  return ok(`${Object.values(namespaces).flatMap(({ queues }) => queues).length} Task Queues are polled`);
}

import { producersSchedule } from '../../../client/agents-md/producers-schedule.ts';
import { backgroundSingletons, installationSingleton } from '../../../client/upkeep/orchestrator-singletons.ts';
import { emailServiceSingletons } from '../../../email-service/background/email-service-singletons.ts';
import { emailServiceProgram } from '../../../email-service/background/join-namespace.ts';
import { emailServiceNames } from '../../../email-service/workflows/email-service-names.ts';
import { installationIdOf } from '../../../lib/sql/installation-id.ts';
import { otherNamespace, recognizeNamespace } from '../../../lib/temporal/recognize-namespace.ts';
import { describeGaps } from '../../../lib/temporal/setup/setup-gap.ts';
import { scheduleSingletons, type Singleton, singletonState } from '../../../lib/temporal/singletons.ts';
import { type Diagnosis, ok, problem, warning } from '../check.ts';
import { check, needed, type Temporal } from '../doctor-context.ts';
import { oneLine } from './database-checks.ts';

/** The Workflows and Schedules that run once for all tenants: `sendoff/sweep`, `sendoff/installation` and the Schedules. */
export const singletonsCheck = check('sweeps and Schedules', async (context) => {
  const { clientOf } = await context.temporal();
  const namespace = await context.namespace();
  const { SENDOFF_WATCH_INTERVAL: watchIntervalMs, AGENTS_MD_CONTACT: contact } = await context.settings(
    'SENDOFF_WATCH_INTERVAL',
    'AGENTS_MD_CONTACT',
  );
  const background = await context.backgroundNamespace();
  const held = installationSingleton();
  const checks = scheduleSingletons(clientOf(namespace), [producersSchedule(contact !== undefined)]);
  const isApart = background !== namespace;
  if (isApart) {
    const here = await needed('Namespace', () =>
      singletonsFinding(clientOf(namespace), [held, ...checks], 'sendoff worker'),
    );
    if (here.state !== 'ok') return here;
  }
  const client = clientOf(background);
  const once = [held, ...(isApart ? [] : checks), ...backgroundSingletons(client, watchIntervalMs)];
  return needed('background Namespace', () => singletonsFinding(client, once, 'sendoff worker'));
});

/** The same of the email service, in the Namespace that its database knows. */
export const emailServiceSingletonsCheck = check('email service sweep and Schedule', async (context) => {
  const { connection, clientOf } = await context.temporal();
  const namespace = await context.emailServiceNamespace();
  const { database } = await context.store();
  const recognized = await needed('email service Namespace', () =>
    recognizeNamespace({ database, connection, namespace }),
  );
  if (recognized.known !== undefined && !recognized.isSame) {
    const url = context.databaseOf('email-service').url;
    return oneLine(otherNamespace(recognized, emailServiceProgram(url)));
  }
  const names = await needed('email service database', async () => emailServiceNames(await installationIdOf(database)));
  const client = clientOf(namespace);
  return singletonsFinding(client, emailServiceSingletons(client, names, ''), 'sendoff email-service');
});

async function singletonsFinding(
  client: ReturnType<Temporal['clientOf']>,
  singletons: readonly Singleton[],
  program: string,
): Promise<Diagnosis> {
  const { namespace } = client.options;
  const { missing, paused } = await singletonState(client, singletons);
  if (missing.length > 0)
    return problem(
      describeGaps(missing).replaceAll('\n', '; '),
      `A running program creates it again within half a minute; start one, and read its log: ${program}`,
    );
  const [first] = paused;
  if (first === undefined) return ok(`all ${String(singletons.length)} exist in ${namespace}`);
  const isSchedule = singletons.some(({ kind, name }) => name === first && kind === 'schedule');
  return warning(
    `paused: ${paused.join(', ')}`,
    isSchedule
      ? `When the reason is over: temporal schedule toggle --namespace ${namespace} --schedule-id ${first} --unpause --reason "over"`
      : `When the reason is over, unpause its Activity: temporal activity unpause --namespace ${namespace} --workflow-id ${first}`,
  );
}

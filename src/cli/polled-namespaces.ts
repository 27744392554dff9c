import { readBackgroundNamespace } from '../background-namespace.ts';
import { backgroundTaskQueues, orchestratorTaskQueues } from '../client/worker-presence.ts';
import { settingsTable } from '../config.ts';
import { readEmailServiceNamespace } from '../email-service/email-service-namespace.ts';
import { emailServiceNames } from '../email-service/workflows/email-service-names.ts';
import { type Environment, readSettings } from '../lib/settings.ts';
import type { PolledTaskQueue } from '../lib/temporal/last-poll.ts';
import { readTemporalConfig } from '../lib/temporal/temporal-config.ts';
import { accountSettings, providersWith } from '../provider-settings.ts';

/** A Namespace of a program, and the Task Queues that its Workers poll there with these settings. */
export interface PolledNamespace {
  readonly namespace: string;
  readonly queues: readonly PolledTaskQueue[];
}

/** TEMPORAL_NAMESPACE, and the background Namespace, which may be the same. */
export function orchestratorNamespaces(
  environment: Environment,
): readonly [own: PolledNamespace, background: PolledNamespace] {
  const temporal = readTemporalConfig(environment);
  const { AGENTS_MD_CONTACT, SENDOFF_NOTIFICATION_URL } = settingsTable;
  const settings = readSettings({ AGENTS_MD_CONTACT, SENDOFF_NOTIFICATION_URL, ...accountSettings }, environment);
  return [
    {
      namespace: temporal.namespace,
      queues: orchestratorTaskQueues({
        providers: providersWith(settings),
        agentsMd: settings.AGENTS_MD_CONTACT !== undefined,
      }),
    },
    {
      namespace: readBackgroundNamespace(environment, temporal),
      queues: backgroundTaskQueues({ notifications: settings.SENDOFF_NOTIFICATION_URL !== undefined }),
    },
  ];
}

/** @param installationId of its database */
export function emailServiceNamespace(environment: Environment, installationId: string): PolledNamespace {
  const { taskQueue, deliveriesTaskQueue } = emailServiceNames(installationId);
  return {
    namespace: readEmailServiceNamespace(environment, readTemporalConfig(environment)),
    queues: [
      { taskQueue, runsWorkflows: true },
      { taskQueue: deliveriesTaskQueue, runsWorkflows: false },
    ],
  };
}

// Onboardings that only the register, or only Temporal, shows as running.
import type { Client } from '@temporalio/client';
import { serverTimeMs } from '../../lib/temporal/server-time.ts';
import { runningTenantPages } from '../../store/onboarding/running-tenants.ts';
import { ONBOARDING_WORKFLOW_TYPE } from '../../workflows/messages.ts';
import { createEndedOnboardings, executionOf, tenantsOf } from '../onboarding/ended-onboardings.ts';
import type { DifferenceParts } from './difference.ts';

/** The API records an onboarding right after it has started its execution. */
export const JUST_STARTED_MS = 10_000;

/** Records that say that their onboarding runs, and that Temporal does not list as running. */
export async function* withoutRunningExecution(
  client: Client,
  { database, register }: Pick<DifferenceParts, 'database' | 'register'>,
  onPage: (tenants: number) => void = () => undefined,
) {
  const ended = createEndedOnboardings(client);
  for await (const page of runningTenantPages(database)) {
    const listed = await ended.listedAsRunning(page);
    for (const tenantId of page.filter((each) => !listed.has(each))) {
      const record = await register.get(tenantId);
      if (record?.outcome !== 'running') continue;
      const execution = await executionOf(client, record);
      if (execution !== 'running') yield { record, execution };
    }
    onPage(page.length);
  }
}

/** Tenants of running executions that have no record at all. */
export async function runningWithoutRecord(
  client: Client,
  register: Pick<DifferenceParts['register'], 'get'>,
  limit: number,
) {
  const since = new Date((await serverTimeMs(client, client.options.namespace)) - JUST_STARTED_MS).toISOString();
  const query = `WorkflowType="${ONBOARDING_WORKFLOW_TYPE}" AND ExecutionStatus = "Running" AND StartTime < "${since}"`;
  const missing: string[] = [];
  for (const tenantId of await tenantsOf(client, query, limit))
    if ((await register.get(tenantId)) === undefined) missing.push(tenantId);
  return missing;
}

import { createStuckOnboardings } from '../../../client/onboarding/stuck-onboardings.ts';
import { counted } from '../../../lib/counted.ts';
import { runningTenants, stuckTenants } from '../../../store/onboarding/running-tenants.ts';
import { ok, problem } from '../check.ts';
import { check, needed } from '../doctor-context.ts';
import { named, onboardingsOf } from './executions-check.ts';

/** One call for each. */
const LOOKED_UP_MAX = 500;

/** Onboardings that stand still because their Workflow Task fails, as after a bad release. */
export const stuckCheck = check('Workflow Tasks', async (context, signal) => {
  const { client, database } = await onboardingsOf(context);
  const { reported, taskOf } = createStuckOnboardings(client);
  const found = await needed('Namespace', () => reported(LOOKED_UP_MAX));
  const tenants = found ?? (await needed('database', () => someRunning(database)));
  const tasks = [];
  for (const tenantId of tenants) {
    if (signal.aborted) break;
    const task = await taskOf(tenantId);
    if (task !== undefined) tasks.push({ tenantId, ...task });
  }
  const [first] = tasks;
  if (first === undefined)
    return ok(
      found === undefined
        ? `none of ${counted(tenants.length, 'onboarding')} fails`
        : 'Temporal reports none that fails',
    );
  const since = tasks.map((task) => task.since).sort()[0] ?? first.since;
  return problem(
    `those of ${counted(tasks.length, 'onboarding')} fail, since ${since}: ${named(tasks.map(({ tenantId }) => tenantId))}. The first: ${first.message}`,
    'Go back to the earlier version, as "A bad release" in docs/operating.md says; this lists all: sendoff list --stuck',
  );
});

/** Those that the sweep has recorded as stuck, before others. */
async function someRunning(database: Parameters<typeof runningTenants>[0]): Promise<string[]> {
  const page = { after: '', limit: LOOKED_UP_MAX };
  const recorded = await stuckTenants(database, page);
  return [...new Set([...recorded, ...(await runningTenants(database, page))])].slice(0, LOOKED_UP_MAX);
}

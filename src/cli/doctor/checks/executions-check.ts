import { createEndedOnboardings } from '../../../client/onboarding/ended-onboardings.ts';
import { counted } from '../../../lib/counted.ts';
import { recognizeNamespace } from '../../../lib/temporal/recognize-namespace.ts';
import type { Database } from '../../../store/database.ts';
import { runningTenants } from '../../../store/onboarding/running-tenants.ts';
import { createSqlRegister } from '../../../store/onboarding/sql-register.ts';
import { CannotCheck, type Check, ok, problem } from '../check.ts';
import { type DoctorContext, needed } from '../doctor-context.ts';
import { sendoffNamespace } from './temporal-checks.ts';

/** One call for each page, and one for each onboarding that visibility does not list as running. */
const LOOKED_UP_MAX = 500;
const PAGE = 100;
const NAMED_MAX = 5;

export const executionsCheck = (context: DoctorContext): Check => ({
  name: 'executions',
  run: async (signal) => {
    const { connection, clientOf } = await needed('Temporal', context.temporal);
    const namespace = await needed('settings', () => sendoffNamespace(context.environment));
    const { database } = await needed('database', context.database);
    const { isSame } = await needed('Namespace', () => recognizeNamespace({ database, connection, namespace }));
    if (!isSame) throw new CannotCheck('not checked: see database of the Namespace');
    const { lookedUp, missing } = await missingExecutions(
      database,
      createEndedOnboardings(clientOf(namespace)),
      signal,
    );
    if (missing.length === 0) return ok(`Temporal has those of ${counted(lookedUp, 'running onboarding')}`);
    const named = missing.slice(0, NAMED_MAX).join(', ') + (missing.length > NAMED_MAX ? ', …' : '');
    return problem(
      `Temporal has no execution of ${counted(missing.length, 'onboarding')} that the register shows as running: ${named}`,
      `Find out who deleted them, or what the server lost; to record one as terminated: sendoff cancel ${missing[0] ?? ''}`,
    );
  },
});

async function missingExecutions(
  database: Database,
  ended: ReturnType<typeof createEndedOnboardings>,
  signal: AbortSignal,
) {
  const register = createSqlRegister(database);
  const missing: string[] = [];
  let lookedUp = 0;
  for (let after: string | undefined = ''; after !== undefined && lookedUp < LOOKED_UP_MAX && !signal.aborted;) {
    const page: string[] = await runningTenants(database, { after, limit: PAGE });
    const listed = await ended.listedAsRunning(page);
    for (const tenantId of page.filter((each) => !listed.has(each))) {
      const record = await register.get(tenantId);
      if (record?.outcome === 'running' && (await ended.executionOf(record)) === 'missing') missing.push(tenantId);
    }
    lookedUp += page.length;
    after = page.length < PAGE ? undefined : page.at(-1);
  }
  return { lookedUp, missing };
}

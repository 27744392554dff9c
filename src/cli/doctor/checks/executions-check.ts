import type { Client } from '@temporalio/client';
import { runningWithoutRecord, withoutRunningExecution } from '../../../client/upkeep/unmatched-onboardings.ts';
import { counted } from '../../../lib/counted.ts';
import { recognizeNamespace } from '../../../lib/temporal/recognize-namespace.ts';
import type { Database } from '../../../store/database.ts';
import { createSqlRegister } from '../../../store/onboarding/sql-register.ts';
import { restoredAt } from '../../../store/upkeep/restored-database.ts';
import { CannotCheck, ok, problem } from '../check.ts';
import { check, type DoctorContext, needed } from '../doctor-context.ts';

/** One call for each page, and one for each onboarding that visibility does not list as running. */
const LOOKED_UP_MAX = 500;
const NAMED_MAX = 5;
const REMEDY = 'List what differs, and what its repair does: sendoff reconcile';

/** Whether the register and Temporal know the same onboardings: some of each; `sendoff reconcile` compares all. */
export const executionsCheck = check('executions', async (context, signal) => {
  const { client, database } = await onboardingsOf(context);
  const restored = await restoredAt(database);
  if (restored !== undefined)
    return problem(`the database was restored before ${restored}: it is older than Temporal`, REMEDY);
  const register = createSqlRegister(database);
  const missing: string[] = [];
  let lookedUp = 0;
  const unlisted = withoutRunningExecution(client, { database, register }, (tenants) => (lookedUp += tenants));
  for await (const { record, execution } of unlisted) {
    if (execution === 'missing') missing.push(record.tenantId);
    if (lookedUp >= LOOKED_UP_MAX || signal.aborted) break;
  }
  if (missing.length > 0)
    return problem(
      `Temporal has no execution of ${counted(missing.length, 'onboarding')} that the register shows as running: ${named(missing)}`,
      `Find out who deleted them, or what the server lost; sendoff reconcile lists what differs, and what its repair does; to record one as terminated: sendoff cancel ${missing[0] ?? ''}`,
    );
  const unrecorded = await runningWithoutRecord(client, register, LOOKED_UP_MAX);
  if (unrecorded.length > 0)
    return problem(
      `the register has no record of ${counted(unrecorded.length, 'onboarding')} that Temporal runs: ${named(unrecorded)}`,
      REMEDY,
    );
  return ok(`Temporal has those of ${counted(lookedUp, 'running onboarding')}`);
});

/** The register and its Namespace. Throws CannotCheck if they do not belong together. */
export async function onboardingsOf(
  context: DoctorContext,
): Promise<{ readonly client: Client; readonly database: Database }> {
  const { connection, clientOf } = await context.temporal();
  const namespace = await context.namespace();
  const { database } = await context.database();
  const { known, isSame } = await needed('Namespace', () => recognizeNamespace({ database, connection, namespace }));
  if (known !== undefined && !isSame) throw new CannotCheck('not checked: see database of the Namespace');
  return { client: clientOf(namespace), database };
}

export const named = (tenants: readonly string[]): string =>
  tenants.slice(0, NAMED_MAX).join(', ') + (tenants.length > NAMED_MAX ? ', …' : '');

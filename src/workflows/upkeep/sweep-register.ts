// No Worker sees that an execution was terminated or timed out, and a crash can lose the Signal that starts a tenant's notifications: one
// Activity looks for both, for all tenants.
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { SweepActivities } from '../../activities/index.ts';

const { sweepRegister: sweep } = proxyActivities<SweepActivities>({
  // A sweep makes at most a few hundred calls; after this, another Worker replaces a killed one.
  startToCloseTimeout: '1 minute',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  // The Activity never succeeds: it runs every ten seconds without adding events to the history.
  retry: { initialInterval: '10 seconds', backoffCoefficient: 1 },
});

/** Runs as long as the installation exists: resumes notifications, records lost ends and erases claimed tokens. */
export async function sweepRegister(): Promise<void> {
  await sweep.executeWithOptions({ activityId: 'sweep-register', summary: 'Sweep the register' }, []);
}

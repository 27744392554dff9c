import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

const { startLeftBehind } = proxyActivities<Activities>({
  // A thousand starts take a few seconds; a Worker killed in the middle is replaced after this.
  startToCloseTimeout: '1 minute',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  // It never succeeds: every ten seconds for ever, without a new event in the history.
  retry: { initialInterval: '10 seconds', backoffCoefficient: 1 },
});

/** Runs for as long as the service exists: finds outbox rows whose process died before it had started their Workflow. */
export async function sweepOutbox(): Promise<void> {
  await startLeftBehind.executeWithOptions({ activityId: 'start-left-behind', summary: 'Sweep the outbox' }, []);
}

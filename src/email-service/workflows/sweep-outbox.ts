import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

const { startLeftBehind } = proxyActivities<Activities>({
  // A thousand starts take a few seconds; after this, another Worker replaces a killed one.
  startToCloseTimeout: '1 minute',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  // The Activity never succeeds: it runs every ten seconds without adding events to the history.
  retry: { initialInterval: '10 seconds', backoffCoefficient: 1 },
});

/** Runs as long as the service exists: starts Workflows whose process died before it could start them. */
export async function sweepOutbox(): Promise<void> {
  await startLeftBehind.executeWithOptions({ activityId: 'start-left-behind', summary: 'Sweep the outbox' }, []);
}

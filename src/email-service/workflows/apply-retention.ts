import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

const { removeExpired } = proxyActivities<Activities>({
  // The first run may find the rows of years.
  startToCloseTimeout: '12 hours',
  // After this, another Worker continues for a killed one; a page takes milliseconds.
  heartbeatTimeout: '1 minute',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** Removes what is past its retention. @returns how many rows of each kind */
export function applyRetention(): ReturnType<Activities['removeExpired']> {
  return removeExpired.executeWithOptions({ summary: 'Remove what is past its retention' }, []);
}

import { proxyActivities } from '@temporalio/workflow';
import type { RetentionActivities } from '../../activities/upkeep/apply-retention.ts';
import { retentionOptions } from '../activity-options.ts';

const { removeExpired } = proxyActivities<RetentionActivities>(retentionOptions);

/** Removes what is past its retention. @returns how many rows of each kind */
export function applyRetention(): ReturnType<RetentionActivities['removeExpired']> {
  return removeExpired.executeWithOptions({ summary: 'Remove what is past its retention' }, []);
}

// Ids derive from the producer, so that a second request finds the running Workflow. A producer's id contains no slash.

const PREFIX = 'agents-md/';

/** For a requested check; Temporal appends the time for each run of a Schedule. */
export const checkWorkflowId = (producerId: string): string => PREFIX + producerId;

export const checkScheduleId = (producerId: string): string => PREFIX + producerId;

/** The producer of a Schedule; undefined for other Schedules in the Namespace. */
export const producerOfSchedule = (scheduleId: string): string | undefined =>
  scheduleId.startsWith(PREFIX) ? scheduleId.slice(PREFIX.length) : undefined;

/** Of the sweep of one host. */
export const sweepWorkflowId = (host: string): string => `agents-md-sweep/${host}`;

export const batchWorkflowId = (batchId: string): string => `agents-md-batch/${batchId}`;

export const batchCheckWorkflowId = (batchId: string, producerId: string): string =>
  `${batchWorkflowId(batchId)}/${producerId}`;

export const batchPartWorkflowId = (batchId: string, number: number): string =>
  `${batchWorkflowId(batchId)}/part/${number}`;

/**
 * An id of its own, so that an unavailable webhook receiver delays no later check. It derives from the change, so that
 * one change is announced once, whichever check finds it.
 *
 * @param since when the previous outcome was found
 */
export const announcementWorkflowId = (producerId: string, since: string, outcome: string): string =>
  `agents-md-announcement/${producerId}/${since}/${outcome}`;

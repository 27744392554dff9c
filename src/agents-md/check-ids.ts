// Ids come from the producer, never from chance, so that asking twice meets what is already under way. A producer's id has
// no slash in it.

const PREFIX = 'agents-md/';

/** Of the check that somebody asked for; a Schedule adds the time of each run to it. */
export const checkWorkflowId = (producerId: string): string => PREFIX + producerId;

export const checkScheduleId = (producerId: string): string => PREFIX + producerId;

/** The producer of a Schedule; undefined for the Schedules of others in the Namespace. */
export const producerOfSchedule = (scheduleId: string): string | undefined =>
  scheduleId.startsWith(PREFIX) ? scheduleId.slice(PREFIX.length) : undefined;

export const batchWorkflowId = (batchId: string): string => `agents-md-batch/${batchId}`;

export const batchCheckWorkflowId = (batchId: string, producerId: string): string =>
  `${batchWorkflowId(batchId)}/${producerId}`;

/** A producer's id has no slash, so a part is none's check. */
export const batchPartWorkflowId = (batchId: string, number: number): string =>
  `${batchWorkflowId(batchId)}/part/${number}`;

/**
 * Apart from the check's own, so that a receiver of webhooks that is away keeps no later check waiting. Made of the change,
 * so that one change is told once, whoever finds it.
 *
 * @param since when the outcome before was found
 */
export const announcementWorkflowId = (producerId: string, since: string, outcome: string): string =>
  `agents-md-announcement/${producerId}/${since}/${outcome}`;

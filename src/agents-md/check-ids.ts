// Ids derive from the producer, so that a second request finds the running Workflow. A producer's id contains no slash.

export const checkWorkflowId = (producerId: string): string => `agents-md/${producerId}`;

/** The Workflow ID of the sweep of one host. */
export const sweepWorkflowId = (host: string): string => `agents-md-sweep/${host}`;

/**
 * An id of its own, so that an unavailable webhook receiver delays no later check. It derives from the change, so that
 * one change is announced once, whichever check finds it.
 *
 * @param since when the previous outcome was found
 */
export const announcementWorkflowId = (producerId: string, since: string, outcome: string): string =>
  `agents-md-announcement/${producerId}/${since}/${outcome}`;

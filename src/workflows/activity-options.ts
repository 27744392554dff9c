import { ActivityCancellationType, type ActivityOptions, type LocalActivityOptions } from '@temporalio/workflow';

/** The default is not what the documentation says, so it is always told. Waiting keeps an answer that is in flight. */
const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;

/**
 * A step, first as a Local Activity: two quick attempts inside the Workflow Task, one event instead of six. That is
 * enough while the provider is well, and its creates are idempotent, so a lost Workflow Task may repeat them.
 */
export const quickStepOptions: LocalActivityOptions = {
  // Two attempts must fit into one Workflow Task of 10 seconds.
  startToCloseTimeout: '4 seconds',
  scheduleToCloseTimeout: '9 seconds',
  retry: { initialInterval: '250 milliseconds', maximumAttempts: 2 },
  cancellationType,
};

/** A step that did not go through at once: ops see it pending, with its attempts, for a day at most. */
export const patientStepOptions: ActivityOptions = {
  // The HTTP client gives up after 10 seconds without an answer.
  startToCloseTimeout: '20 seconds',
  // An outage of a working day is survived; longer ones end as ProviderUnavailable.
  scheduleToCloseTimeout: '24 hours',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  cancellationType,
};

/** A poll: each attempt is one GET and names the delay of the next itself. */
export const pollOptions: ActivityOptions = {
  startToCloseTimeout: '20 seconds',
  // A safety net far behind every deadline, which the Workflow's own Timer keeps.
  scheduleToCloseTimeout: '120 days',
  // For attempts that could not ask; one that asked names its own delay.
  retry: { initialInterval: '1 minute', backoffCoefficient: 1 },
  cancellationType,
};

/** A look that somebody waits for, or that decides about F1. A look at the DNS may wait for several name servers. */
export const checkOptions: ActivityOptions = {
  startToCloseTimeout: '60 seconds',
  // Whoever waits, and the last look with what is left of its day, tell their own shorter time.
  scheduleToCloseTimeout: '25 hours',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
  cancellationType,
};

/** A GET that decides how a wait ended, after its deadline. */
export const lastEmailCheckOptions: ActivityOptions = {
  startToCloseTimeout: '20 seconds',
  // As a step: a provider that is down at just that time is asked when it is back.
  scheduleToCloseTimeout: '24 hours',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
  cancellationType,
};

/** An undo: its own bounded time, so that one that cannot succeed is reported and the next still runs. */
export const undoOptions: ActivityOptions = {
  startToCloseTimeout: '20 seconds',
  // Longer than most outages; the four of them are over within a day, and then the tenant can be started again.
  scheduleToCloseTimeout: '6 hours',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
  cancellationType,
};

/**
 * One request to a code host. Half a day lets a host that throttles ask for hours, and a batch wait for its turn at the
 * host's rate; after that the check says that it could not ask.
 */
export const hostOptions: ActivityOptions = {
  // An answer has 10 seconds, its redirects included.
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '12 hours',
  // For a Worker that died: the Activity names the delay after whatever the host answers, and when to give up.
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
  cancellationType,
};

/** A row of our own database: it comes back, and until then the check waits. */
export const recordOptions: ActivityOptions = {
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  cancellationType,
};

/** A webhook of ours: three days, as receivers of webhooks are used to. */
export const announcementOptions: ActivityOptions = {
  startToCloseTimeout: '20 seconds',
  scheduleToCloseTimeout: '3 days',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumInterval: '6 hours' },
  cancellationType,
};

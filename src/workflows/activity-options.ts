import { ActivityCancellationType, type ActivityOptions, type LocalActivityOptions } from '@temporalio/workflow';
import { PATIENCE_HOURS, UNDO_PATIENCE_HOURS } from '../onboarding/time-limits.ts';

/** Waiting keeps an answer that is in flight. Set everywhere, because the SDK's default is not the documented one. */
const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;

/**
 * A step's first two attempts, as a Local Activity: one history event instead of six. They may be repeated after a lost
 * Workflow Task, because the provider's creates are idempotent.
 */
export const quickStepOptions: LocalActivityOptions = {
  // Two attempts must fit into one Workflow Task of 10 seconds.
  startToCloseTimeout: '4 seconds',
  scheduleToCloseTimeout: '9 seconds',
  retry: { initialInterval: '250 milliseconds', maximumAttempts: 2 },
  cancellationType,
};

/** One check of what a wait is for, which goes on if this fails. */
export const quickCheckOptions: LocalActivityOptions = { ...quickStepOptions, retry: { maximumAttempts: 1 } };

/** A step that the quick attempts did not complete: the Temporal UI shows it pending, with its attempts. */
export const patientStepOptions: ActivityOptions = {
  // The HTTP client gives up after 10 seconds without an answer.
  startToCloseTimeout: '20 seconds',
  scheduleToCloseTimeout: `${PATIENCE_HOURS} hours`,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  cancellationType,
};

/** A poll: each attempt is one GET and sets the delay before the next. */
export const pollOptions: ActivityOptions = {
  startToCloseTimeout: '20 seconds',
  // Longer than any wait: the Workflow's own Timer keeps the deadline.
  scheduleToCloseTimeout: '120 days',
  // For attempts without an answer, by their number in the round, whose first one often follows a wake-up; an answered one sets its own delay.
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
  cancellationType,
};

/** A check that a caller waits for, or that decides F1. It may wait for several name servers. */
export const checkOptions: ActivityOptions = {
  startToCloseTimeout: '60 seconds',
  // An upper bound: both uses set a shorter one.
  scheduleToCloseTimeout: '25 hours',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
  cancellationType,
};

/** The final check after the delivery window. */
export const finalEmailCheckOptions: ActivityOptions = {
  startToCloseTimeout: '20 seconds',
  scheduleToCloseTimeout: `${PATIENCE_HOURS} hours`,
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
  cancellationType,
};

export const undoOptions: ActivityOptions = {
  startToCloseTimeout: '20 seconds',
  scheduleToCloseTimeout: `${UNDO_PATIENCE_HOURS} hours`,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
  cancellationType,
};

/** A row in our own database: retried without end, because the database will be back. */
export const recordOptions: ActivityOptions = {
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  cancellationType,
};

/** The removal of old rows, a page at a time. */
export const retentionOptions: ActivityOptions = {
  // The first run may find the rows of years.
  startToCloseTimeout: '12 hours',
  // After this, another Worker continues for a killed one; a page takes milliseconds.
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  cancellationType,
};

/** A notification to the backend: the Activity itself sets the delay after each answer, and gives up after 75 hours. */
export const notificationOptions: ActivityOptions = {
  // 15 seconds for the backend, the rest for the database.
  startToCloseTimeout: '30 seconds',
  // For faults on our side.
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '1 minute' },
  cancellationType,
};

/** An outgoing webhook: three days of retries are common practice. */
export const announcementOptions: ActivityOptions = {
  startToCloseTimeout: '20 seconds',
  scheduleToCloseTimeout: '3 days',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 3, maximumInterval: '6 hours' },
  cancellationType,
};

import { ActivityFailure } from '@temporalio/workflow';

/** The error that an Activity threw: the failure of a regular Activity arrives wrapped in an ActivityFailure, a Local Activity's does not. */
export const activityCause = (error: unknown): unknown => (error instanceof ActivityFailure ? error.cause : error);

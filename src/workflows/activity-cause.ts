import { ActivityFailure } from '@temporalio/workflow';

/** What an Activity threw: a regular one arrives wrapped in an ActivityFailure, a Local Activity as it is. */
export const activityCause = (error: unknown): unknown => (error instanceof ActivityFailure ? error.cause : error);

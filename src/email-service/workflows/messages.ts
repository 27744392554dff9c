import { defineSignal } from '@temporalio/workflow';

/** Somebody asked for a look at the domain. A Signal, because the caller does not wait for what is found. */
export const checkNowSignal = defineSignal('lookNow');

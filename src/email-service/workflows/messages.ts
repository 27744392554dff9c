import { defineSignal } from '@temporalio/workflow';

/** Requests a check of the domain's records. A Signal, because the caller does not wait for the result. */
export const checkNowSignal = defineSignal('checkNow');

import { makeContinueAsNewFunc, type Workflow } from '@temporalio/workflow';

/**
 * Ends this run and starts the next one of the same Workflow. The SDK's function would write the input as `withCheckedInput` reads it:
 * unread.
 */
export const continueAsNew = <Continued extends Workflow>(...input: Parameters<Continued>): Promise<never> =>
  makeContinueAsNewFunc<Continued>({ typeInfo: {} })(...input);

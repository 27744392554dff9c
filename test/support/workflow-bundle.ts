import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { workflowBundleOf } from './workflow-bundle-of-run.ts';

// On its own thread the SDK records where each Promise of a Workflow was created, for its stack trace query. On this one it would
// do so for every Promise of this process, until its end: an eighth to a third of what such a file costs.
globalHandlers.installed = true;

export interface WorkflowCode {
  readonly workflowBundle: { readonly codePath: string };
  readonly debugMode: true;
}

/**
 * Options for a Worker that runs these Workflows. They run on the test's own thread: another one takes half a second of a
 * processor to start, for each test. The programs that the system tests start run them as in production.
 */
export async function workflowCode(workflowsPath: string): Promise<WorkflowCode> {
  return { workflowBundle: await workflowBundleOf(workflowsPath), debugMode: true };
}

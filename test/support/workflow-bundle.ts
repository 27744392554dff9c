import { workflowBundleOf } from './workflow-bundle-of-run.ts';

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

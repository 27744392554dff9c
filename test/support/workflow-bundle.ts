import { workflowBundleOf } from './workflow-bundle-of-run.ts';

export interface WorkflowCode {
  readonly workflowBundle: { readonly codePath: string };
}

/** Options for a Worker that runs these Workflows. */
export async function workflowCode(workflowsPath: string): Promise<WorkflowCode> {
  return { workflowBundle: await workflowBundleOf(workflowsPath) };
}

import { bundleWorkflowCode, Runtime, type WorkflowBundleOption } from '@temporalio/worker';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** By path. A process bundles sources once, however often it starts their Workers. */
const bundled = new Map<string, Promise<WorkflowBundleOption>>();

/** The bundle that the build has put beside these Workflows. Sources are bundled now, in two seconds of a processor. */
export async function workflowBundleOf(workflowsPath: string): Promise<WorkflowBundleOption> {
  const codePath = join(dirname(workflowsPath), 'bundle.js');
  if (existsSync(codePath)) return { codePath };
  const bundle = bundled.get(workflowsPath) ?? bundleWorkflowCode({ workflowsPath, logger: Runtime.instance().logger });
  bundled.set(workflowsPath, bundle);
  return bundle;
}

import { bundleWorkflowCode, type Logger, Runtime, type WorkflowBundleOption } from '@temporalio/worker';
import { existsSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

/** By path. A process bundles sources once, however often it starts their Workers. */
const bundled = new Map<string, Promise<WorkflowBundleOption>>();

/** The bundle that the build has put beside these Workflows. Sources are bundled now, in two seconds of a processor. */
export async function workflowBundleOf(workflowsPath: string): Promise<WorkflowBundleOption> {
  const codePath = join(dirname(workflowsPath), 'bundle.js');
  if (existsSync(codePath)) return { codePath };
  const bundle = bundled.get(workflowsPath) ?? bundleWorkflows(workflowsPath, Runtime.instance().logger);
  bundled.set(workflowsPath, bundle);
  return bundle;
}

/** A Worker evaluates the modules once, not again for each Workflow: they keep no state, as test/workflow-bundles.test.ts checks. */
export const bundleWorkflows = (workflowsPath: string, logger: Logger): Promise<{ readonly code: string }> =>
  bundleWorkflowCode({
    workflowsPath,
    preloadModules: [workflowsPath],
    workflowInterceptorModules: [join(dirname(workflowsPath), `trace-header${extname(workflowsPath)}`)].filter(
      existsSync,
    ),
    logger,
  });

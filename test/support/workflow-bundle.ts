import { DefaultLogger } from '@temporalio/worker';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflows } from '../../src/lib/temporal/workflow-bundle.ts';
import { builtOnce } from './built-once.ts';

export interface WorkflowCode {
  readonly workflowBundle: { readonly codePath: string };
  readonly debugMode: true;
}

/**
 * Options for a Worker that runs these Workflows. They run on the test's own thread: another one takes half a second of a
 * processor to start, for each test. The programs that the system tests start run them as in production.
 */
export async function workflowCode(workflowsPath: string): Promise<WorkflowCode> {
  const name = `workflows-${createHash('sha256').update(workflowsPath).digest('hex').slice(0, 16)}`;
  const folder = await builtOnce(name, async (draft) => {
    const { code } = await bundleWorkflows(workflowsPath, new DefaultLogger('ERROR'));
    await writeFile(join(draft, 'bundle.js'), code);
  });
  return { workflowBundle: { codePath: join(folder, 'bundle.js') }, debugMode: true };
}

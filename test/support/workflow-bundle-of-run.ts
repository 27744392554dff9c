// Stands for lib/temporal/workflow-bundle.ts in what tests import from src/ (vitest.config.ts): a Worker in a test's process gets
// the same bundle, made once in a run instead of once in each process.
import { DefaultLogger } from '@temporalio/worker';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflows } from '../../src/lib/temporal/workflow-bundle.ts';
import { builtOnce } from './built-once.ts';

export async function workflowBundleOf(workflowsPath: string): Promise<{ readonly codePath: string }> {
  const name = `workflows-${createHash('sha256').update(workflowsPath).digest('hex').slice(0, 16)}`;
  const folder = await builtOnce(name, async (draft) => {
    const { code } = await bundleWorkflows(workflowsPath, new DefaultLogger('ERROR'));
    await writeFile(join(draft, 'bundle.js'), code);
  });
  return { codePath: join(folder, 'bundle.js') };
}

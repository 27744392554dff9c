// Stands for lib/temporal/workflow-bundle.ts in what tests import from src/ (vitest.config.ts): a Worker in a test's process gets
// the same bundle, made once in a run instead of once in each process.
import { DefaultLogger } from '@temporalio/worker';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningScriptOptions, Script } from 'node:vm';
import { bundleWorkflows } from '../../src/lib/temporal/workflow-bundle.ts';
import { builtOnce } from './built-once.ts';

// Workflows of such a Worker run on the test's own thread: another one takes half a second of a processor to start, for each Worker.
// The programs that the system tests start run them as in production.
process.env['TEMPORAL_DEBUG'] = '1';
// On its own thread the SDK records where each Promise of a Workflow was created, for its stack trace query. On this one it would
// do so for every Promise of this process, until its end: an eighth to a third of what such a file costs.
globalHandlers.installed = true;
// Each time a Worker enters Workflow code, Node starts a thread that would end it after a time limit, here of 25 days: a sixth of
// what such a file costs.
const script = Script.prototype as {
  runInContext: (this: Script, context: object, options?: RunningScriptOptions) => unknown;
};
const { runInContext } = script;
script.runInContext = function (context, options) {
  const { timeout: _none, ...others } = { ...options };
  return runInContext.call(this, context, others);
};

export async function workflowBundleOf(workflowsPath: string): Promise<{ readonly codePath: string }> {
  const name = `workflows-${createHash('sha256').update(workflowsPath).digest('hex').slice(0, 16)}`;
  const folder = await builtOnce(name, async (draft) => {
    const { code } = await bundleWorkflows(workflowsPath, new DefaultLogger('ERROR'));
    await writeFile(join(draft, 'bundle.js'), code);
  });
  return { codePath: join(folder, 'bundle.js') };
}

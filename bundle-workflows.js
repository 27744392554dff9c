// The last step of `npm run build`: bundles the compiled Workflows, which a Worker would otherwise do at each start. Bundles
// those in the folder that is named, or in dist.
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

for (const workflows of ['workflows', 'email-service/workflows']) {
  const folder = resolve(process.argv[2] ?? 'dist', workflows);
  const logger = new DefaultLogger('WARN');
  const { code } = await bundleWorkflowCode({ workflowsPath: join(folder, 'index.js'), logger });
  await writeFile(join(folder, 'bundle.js'), code);
}

// The last step of `npm run build`: bundles the compiled Workflows, which a Worker would otherwise do at each start, and copies what
// a browser gets as it is. Works on the folder that is named, or on dist.
import { DefaultLogger } from '@temporalio/worker';
import { cp, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const dist = resolve(process.argv[2] ?? 'dist');

const { bundleWorkflows } = await import(pathToFileURL(join(dist, 'lib', 'temporal', 'workflow-bundle.js')).href);
for (const workflows of ['workflows', 'email-service/workflows']) {
  const folder = join(dist, workflows);
  const { code } = await bundleWorkflows(join(folder, 'index.js'), new DefaultLogger('WARN'));
  await writeFile(join(folder, 'bundle.js'), code);
}

const browser = join('http', 'setup-page', 'browser');
await cp(join(import.meta.dirname, 'src', browser), join(dist, browser), { recursive: true });

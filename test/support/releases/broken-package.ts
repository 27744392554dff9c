import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { commandIn } from '../build-package.ts';
import { packageFolder } from '../packaged-command.ts';

const bundler = fileURLToPath(new URL('../../../bundle-workflows.js', import.meta.url));

/** The package with a change of Workflow code as a person makes it who forgets `patched`. Resolves with its command and its Workflows. */
export async function brokenPackage(folder: string): Promise<{ readonly command: string; readonly codePath: string }> {
  const good = await packageFolder();
  await mkdir(join(folder, 'bin'), { recursive: true });
  await cp(join(good, 'dist'), join(folder, 'dist'), { recursive: true });
  await cp(join(good, 'package.json'), join(folder, 'package.json'));
  await cp(commandIn(good), commandIn(folder));
  await symlink(join(good, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const workflow = join(folder, 'dist/workflows/onboarding/onboard-tenant.js');
  const code = await readFile(workflow, 'utf8');
  const changed = code.replace('const run = newRun(input);', 'const run = newRun(input);\n    await sleep(1_000);');
  if (changed === code) throw new Error(`${workflow} has no line to change`);
  await writeFile(workflow, changed);
  await promisify(execFile)(process.execPath, [bundler, join(folder, 'dist')]);
  return { command: commandIn(folder), codePath: join(folder, 'dist/workflows/bundle.js') };
}

import { execFile } from 'node:child_process';
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

/**
 * The package as it is published, in this folder: built once, because a process that compiles the sources and bundles the
 * Workflows at each of a hundred starts would cost more than everything it runs.
 */
export async function buildPackage(folder: string): Promise<void> {
  const dist = join(folder, 'dist');
  await mkdir(join(folder, 'bin'), { recursive: true });
  // Whether the types fit is for `npm run check:types` to say, and takes several times as long; without, no types need to be read.
  const unchecked = ['--noCheck', '--noResolve', '--types', 'null', '--declaration', 'false', '--sourceMap', 'false'];
  await build(compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', dist, ...unchecked);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  await build(join(root, 'bundle-workflows.js'), dist);
  await copyFile(join(root, 'package.json'), join(folder, 'package.json'));
  await copyFile(join(root, 'bin', 'sendoff.js'), commandIn(folder));
}

export const commandIn = (packageFolder: string): string => join(packageFolder, 'bin', 'sendoff.js');

async function build(...script: string[]): Promise<void> {
  await run(process.execPath, script).catch((cause: unknown) => {
    const said = cause instanceof Error && 'stdout' in cause ? String(cause.stdout) : '';
    throw new Error(`The package does not build; fix that first:\n${said}`, { cause });
  });
}

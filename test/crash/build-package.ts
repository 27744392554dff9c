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
 * The package as it is published, in a folder of its own: compiled once, because a process that compiles the sources at
 * each of a hundred starts would cost more than everything it runs. Resolves with the path of its command.
 */
export async function buildPackage(folder: string): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  // Whether the types fit is for `npm run check:types` to say, and takes several times as long.
  const output = ['--outDir', join(folder, 'dist'), '--noCheck', '--declaration', 'false', '--sourceMap', 'false'];
  await run(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json'), ...output]).catch(
    (cause: unknown) => {
      const said = cause instanceof Error && 'stdout' in cause ? String(cause.stdout) : '';
      throw new Error(`The package does not compile; fix that first:\n${said}`, { cause });
    },
  );
  await copyFile(join(root, 'package.json'), join(folder, 'package.json'));
  await copyFile(join(root, 'bin', 'sendoff.js'), join(bin, 'sendoff.js'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  return join(bin, 'sendoff.js');
}

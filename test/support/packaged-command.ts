import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildPackage, commandIn } from './build-package.ts';
import { builtOnce } from './built-once.ts';

/** Path of the package's `bin/sendoff.js`, for the programs that tests start: the same for all files of a run. */
export async function packagedCommand(): Promise<string> {
  return commandIn(await packageFolder());
}

/** URL of a compiled module, for small programs: compiling its sources takes most of a second in each process. */
export async function packagedModule(path: string): Promise<string> {
  return pathToFileURL(join(await packageFolder(), 'dist', path)).href;
}

/** Of the package as it is published. */
export const packageFolder = (): Promise<string> => builtOnce('package', buildPackage);

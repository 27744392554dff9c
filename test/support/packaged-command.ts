import { buildPackage, commandIn } from './build-package.ts';
import { builtOnce } from './built-once.ts';

/** Path of the package's `bin/sendoff.js`, for the programs that tests start: the same for all files of a run. */
export async function packagedCommand(): Promise<string> {
  return commandIn(await builtOnce('package', buildPackage));
}

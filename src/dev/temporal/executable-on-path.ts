import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The first executable file of this name in the folders of a PATH variable, as a path. */
export async function executableOnPath(name: string, path: string): Promise<string | undefined> {
  const fileName = process.platform === 'win32' ? `${name}.exe` : name;
  for (const folder of path.split(delimiter)) {
    // An empty entry means the working folder, which nobody means to start a server from.
    if (folder === '') continue;
    const candidate = join(folder, fileName);
    try {
      await access(candidate, constants.X_OK);
      if ((await stat(candidate)).isFile()) return candidate;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

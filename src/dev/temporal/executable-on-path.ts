import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The path of the first executable of this name in the folders of a PATH variable. */
export async function executableOnPath(name: string, path: string): Promise<string | undefined> {
  const fileName = process.platform === 'win32' ? `${name}.exe` : name;
  for (const folder of path.split(delimiter)) {
    // An empty entry means the working folder, which should not be searched for servers.
    if (folder === '') continue;
    const candidate = join(folder, fileName);
    try {
      await access(candidate, constants.X_OK);
      if ((await stat(candidate)).isFile()) return candidate;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}

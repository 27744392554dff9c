import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of all files in the folder and below. What vanishes while it is looked at counts nothing. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        (found) => found.size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

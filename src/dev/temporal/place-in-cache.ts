import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Longer than any download or build takes: an older folder was left by a killed run. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;
const UNFINISHED = '.unfinished-';

export interface CachePlace {
  readonly cacheFolder: string;
  /** Name of the file or folder in the cache; includes version and platform, so its content never changes. */
  readonly name: string;
}

export interface PlaceInCacheOptions extends CachePlace {
  /** Creates the file or folder inside the given empty folder and returns its path. */
  make(folder: string): Promise<string>;
  /** Whether the cached file or folder works. */
  usable(path: string): Promise<boolean>;
}

/**
 * Creates a file or folder beside its place in the cache and renames it into place, so that it is either missing or
 * complete, even if two runs create it at once or one is killed. Returns the path in the cache.
 */
export async function placeInCache(options: PlaceInCacheOptions): Promise<string> {
  const place = join(options.cacheFolder, options.name);
  await mkdir(options.cacheFolder, { recursive: true });
  await removeAbandoned(options.cacheFolder);
  // Inside the cache folder, not in the system's temporary folder: a rename does not cross file systems.
  const folder = await mkdtemp(join(options.cacheFolder, UNFINISHED));
  try {
    const made = await options.make(folder);
    await renameOver(made, place, options);
    return place;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function removeFromCache({ cacheFolder, name }: CachePlace): Promise<void> {
  const place = join(cacheFolder, name);
  // Renamed first, so that no other run starts a server from a folder that is being deleted.
  const folder = await mkdtemp(join(dirname(place), UNFINISHED));
  try {
    await rename(place, join(folder, name));
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function renameOver(made: string, place: string, options: PlaceInCacheOptions): Promise<void> {
  try {
    await rename(made, place);
  } catch (error) {
    // Another run was faster: a folder cannot replace a folder, nor, on Windows, a file a running one.
    if (!isCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY')) throw error;
    if (!(await options.usable(place))) throw error;
  }
}

async function removeAbandoned(cacheFolder: string): Promise<void> {
  for (const name of await readdir(cacheFolder)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const path = join(cacheFolder, name);
    const changedAt = await stat(path).then(
      (found) => found.mtimeMs,
      () => Number.POSITIVE_INFINITY,
    );
    if (Date.now() - changedAt > ABANDONED_AFTER_MS) await rm(path, { recursive: true, force: true });
  }
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

import { posix, win32 } from 'node:path';

export interface CacheFolderOptions {
  /** Read: XDG_CACHE_HOME on Linux, LOCALAPPDATA on Windows. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeFolder: string;
}

/** The path of sendoff's cache: inside the platform's cache folder. */
export function cacheFolder({ environment, platform, homeFolder }: CacheFolderOptions): string {
  if (platform === 'win32') {
    return win32.join(environment['LOCALAPPDATA'] ?? win32.join(homeFolder, 'AppData', 'Local'), 'sendoff');
  }
  if (platform === 'darwin') return posix.join(homeFolder, 'Library', 'Caches', 'sendoff');
  const chosen = environment['XDG_CACHE_HOME'];
  // The XDG Base Directory Specification says to ignore relative paths.
  const caches = chosen !== undefined && posix.isAbsolute(chosen) ? chosen : posix.join(homeFolder, '.cache');
  return posix.join(caches, 'sendoff');
}

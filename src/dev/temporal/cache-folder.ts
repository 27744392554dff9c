import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

/**
 * The path of sendoff's cache: inside the platform's cache folder.
 *
 * @param environment read: XDG_CACHE_HOME on Linux, LOCALAPPDATA on Windows
 */
export function cacheFolder(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
  homeFolder = homedir(),
): string {
  if (platform === 'win32') {
    return win32.join(environment['LOCALAPPDATA'] ?? win32.join(homeFolder, 'AppData', 'Local'), 'sendoff');
  }
  if (platform === 'darwin') return posix.join(homeFolder, 'Library', 'Caches', 'sendoff');
  const chosen = environment['XDG_CACHE_HOME'];
  // The XDG Base Directory Specification says to ignore relative paths.
  const caches = chosen !== undefined && posix.isAbsolute(chosen) ? chosen : posix.join(homeFolder, '.cache');
  return posix.join(caches, 'sendoff');
}

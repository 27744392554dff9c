import { executableOnPath } from '../../src/dev/temporal/executable-on-path.ts';

export const CHROMIUM_COMMANDS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of Chromium or Chrome; undefined where neither is installed. */
export async function findChromium(path = process.env['PATH'] ?? ''): Promise<string | undefined> {
  for (const command of CHROMIUM_COMMANDS) {
    const found = await executableOnPath(command, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

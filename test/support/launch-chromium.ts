import { type Browser, chromium } from 'playwright-core';
import { CHROMIUM_COMMANDS, findChromium } from './find-chromium.ts';

/** The browser of this machine, without a window. Its sandbox is off, because it does not work as root. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = await findChromium();
  if (executablePath === undefined) {
    throw new Error(`none of ${CHROMIUM_COMMANDS.join(', ')} is on PATH. On Debian: apt-get install chromium`);
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
}

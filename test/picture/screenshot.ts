import { waitUntil } from '../../src/lib/timing/wait-until.ts';
import { launchChromium } from '../support/launch-chromium.ts';

const TIMEOUT_MS = 30_000;

/** Returns a PNG of the page once it shows `text`, which may be in a frame: the Temporal UI renders Current Details in one. */
export async function screenshot({ url, text }: { url: string; text: string }): Promise<Buffer> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 1120 } });
    // Not until no request is open: the Temporal UI always has one open while a Workflow runs.
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    const isShown = await waitUntil(
      async () => {
        const texts = await Promise.all(page.frames().map((frame) => frame.innerText('body').catch(() => '')));
        return texts.join(' ').includes(text);
      },
      { timeoutMs: TIMEOUT_MS },
    );
    if (!isShown) throw new Error(`${url} did not show "${text}" within ${TIMEOUT_MS / 1_000} s`);
    return await page.screenshot();
  } finally {
    await browser.close();
  }
}

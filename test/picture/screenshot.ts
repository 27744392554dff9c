import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { WebSocket } from 'undici';
import { waitUntil } from '../../src/lib/wait-until.ts';
import { executableOnPath } from '../../src/dev/temporal/executable-on-path.ts';

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

export async function findBrowser(path: string): Promise<string> {
  for (const name of BROWSERS) {
    const found = await executableOnPath(name, path);
    if (found !== undefined) return found;
  }
  throw new Error(`no browser on PATH (${BROWSERS.join(', ')}). Install Chromium, for example: apt install chromium`);
}

const TIMEOUT_MS = 30_000;
/** The Temporal UI renders Current Details in a frame. */
const SHOWN_TEXT = `[document, ...[...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument)]
  .map((part) => part?.body?.innerText).join(' ')`;

/**
 * Returns a PNG of the page once it shows `text`. Chromium's own `--screenshot` waits until no request is open, and the
 * Temporal UI always has one open while a Workflow runs.
 */
export async function screenshot(
  browser: string,
  { url, text, folder }: { url: string; text: string; folder: string },
): Promise<Buffer> {
  const child = spawn(browser, [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--window-size=1440,1120'],
    ...['--remote-debugging-port=0', `--user-data-dir=${folder}`, 'about:blank'],
  ]);
  try {
    const call = await openDevTools(await debuggerUrl(child.stderr));
    const { targetId } = await call('Target.createTarget', { url });
    const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
    const isShown = await waitUntil(
      async () => {
        const { result } = await call('Runtime.evaluate', { expression: SHOWN_TEXT }, sessionId);
        return String(result?.value).includes(text);
      },
      { timeoutMs: TIMEOUT_MS },
    );
    if (!isShown) throw new Error(`${url} did not show "${text}" within ${TIMEOUT_MS / 1_000} s`);
    const { data = '' } = await call('Page.captureScreenshot', { format: 'png' }, sessionId);
    return Buffer.from(data, 'base64');
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

async function debuggerUrl(stderr: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stderr)) {
    const [, url] = /^DevTools listening on (\S+)/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('the browser ended before it listened for DevTools');
}

interface DevToolsResult {
  readonly targetId?: string;
  readonly sessionId?: string;
  readonly data?: string;
  readonly result?: { readonly value?: unknown };
}

async function openDevTools(url: string) {
  const socket = new WebSocket(url);
  await once(socket as unknown as NodeJS.EventEmitter, 'open');
  const waiting = new Map<number, (result: DevToolsResult) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: DevToolsResult };
    if (id !== undefined) waiting.get(id)?.(result ?? {});
  });
  let last = 0;
  return (method: string, params: object, sessionId?: string): Promise<DevToolsResult> =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    });
}

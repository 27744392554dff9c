import { Command } from 'commander';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { launchChromium } from '../support/launch-chromium.ts';
import { pageStates } from './page-states.ts';
import { startDevEnvironment } from '../../src/dev/dev-environment.ts';
import { openSetupPageWorld } from './setup-page-world.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const inRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const FOLDER = inRoot('screenshots');

/** High enough for the first record. */
const WIDE = { viewport: { width: 1_100, height: 1_250 } };
const looks: Readonly<Record<string, BrowserContextOptions>> = {
  wide: WIDE,
  dark: { ...WIDE, colorScheme: 'dark' },
  phone: { viewport: { width: 360, height: 740 } },
  german: { ...WIDE, locale: 'de' },
  'without-javascript': { ...WIDE, javaScriptEnabled: false },
};
/** State, look and file name of each picture in the documents. */
const inDocuments = [
  ['host-doubled', 'wide', 'setup-page-doubled-host.png'],
  ['delivered', 'dark', 'setup-page-delivered.png'],
] as const;

async function picture(
  browser: Browser,
  { url, look, file, fullPage = true }: { url: string; look: BrowserContextOptions; file: string; fullPage?: boolean },
): Promise<void> {
  const context = await browser.newContext(look);
  try {
    const page = await context.newPage();
    await page.goto(url);
    await page.locator('h1').waitFor();
    await page.screenshot({ path: file, fullPage });
    say(file);
  } finally {
    await context.close();
  }
}

const program = new Command('screenshots')
  .description('Writes pictures of the setup page in each state into screenshots/, which is not in the repository.')
  .option('--documents', 'write the two of the documents into docs/images/ instead')
  .allowExcessArguments(false);

async function main({ documents: isForDocuments = false }: { readonly documents?: boolean }): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const browser = await launchChromium();
  const dataFolder = await mkdtemp(join(tmpdir(), 'sendoff-screenshots-'));
  // A Temporal server that others use too is left alone.
  const environment = { ...process.env, TEMPORAL_ADDRESS: undefined, TEMPORAL_NAMESPACE: undefined };
  const settings = { SENDOFF_SETUP_PAGE_NAME: 'Acme Mail' };
  const dev = await startDevEnvironment({ dataFolder, environment, settings, report: say });
  try {
    const world = openSetupPageWorld(dataFolder);
    for (const { name, reach } of pageStates) {
      if (isForDocuments && !inDocuments.some(([state]) => state === name)) continue;
      const url = await reach(world, name);
      for (const [look, options] of Object.entries(looks)) {
        const fileName = inDocuments.find(([state, ofLook]) => state === name && ofLook === look)?.[2];
        if (!isForDocuments) await picture(browser, { url, look: options, file: join(FOLDER, `${name}.${look}.png`) });
        else if (fileName !== undefined) {
          await picture(browser, { url, look: options, file: inRoot(`docs/images/${fileName}`), fullPage: false });
        }
      }
    }
  } finally {
    await browser.close();
    await dev.stop();
    await rm(dataFolder, { recursive: true, force: true });
  }
}

await program.action(main).parseAsync();
// Temporal's Runtime would keep the process alive.
process.exit();

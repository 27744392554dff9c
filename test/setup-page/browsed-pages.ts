import axe from 'axe-core';
import { rmSync } from 'node:fs';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { de } from '../../src/http/setup-page/texts/de.ts';
import { en } from '../../src/http/setup-page/texts/en.ts';
import type { SetupTexts } from '../../src/http/setup-page/texts/setup-texts.ts';
import { setupView } from '../http/setup-page/setup-views.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import type { PageState } from './page-states.ts';
import { newDataFolder, startSendoffWith } from '../system/running-sendoff.ts';
import { openSetupPageWorld, type SetupPageWorld } from './setup-page-world.ts';

export let world: SetupPageWorld;
let browser: Browser;
/** The address of the page in each state: all are reached at the same time. */
const pages = new Map<string, Promise<string>>();

const closings: (() => Promise<void>)[] = [];

/** Opens a browser before the tests of this file. */
export function useChromium(): void {
  beforeAll(async () => {
    browser = await launchChromium();
    closings.push(() => browser.close());
  });

  afterAll(async () => {
    await Promise.all(closings.map((close) => close()));
  });
}

/** Opens a deployment and a browser before the tests of this file, and brings a tenant to each of these states. */
export function useBrowser(states: readonly PageState[]): void {
  useChromium();
  beforeAll(async () => {
    const data = newDataFolder();
    const dev = await startSendoffWith({ SENDOFF_SETUP_PAGE_NAME: 'Acme Mail' }, 'dev', '--data', data);
    closings.push(async () => {
      dev.child.kill('SIGINT');
      await dev.ended;
      rmSync(data, { recursive: true, force: true });
    });
    await dev.printed(/Press Ctrl-C to stop/);
    world = openSetupPageWorld(data);
    for (const { name, reach } of states) {
      const page = reach(world, name);
      // The test of the state fails, not the process.
      page.catch(() => undefined);
      pages.set(name, page);
    }
  });
}

export const address = (name: string): Promise<string> => pages.get(name)!;
export const headline = (texts: SetupTexts, state: PageState['state'], tenantId: string): string =>
  state === 'notFound'
    ? texts.notFound.headline
    : texts.states[state](setupView([], { domain: `${tenantId}.test` })).headline;

export const PHONE = { viewport: { width: 360, height: 740 } };

interface WatchedPage {
  readonly page: Page;
  /** Requires that since the last call the browser has reported no error and asked no other server. */
  readonly expectNoFaults: () => void;
}

async function openPage(context: BrowserContext): Promise<WatchedPage> {
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  // A refusal by the Content-Security-Policy, too.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('404')) faults.push(message.text());
  });
  page.on('dialog', (dialog) => faults.push(dialog.message()));
  const hosts = new Set<string>();
  page.on('request', (request) => request.url().startsWith('http') && hosts.add(new URL(request.url()).host));
  return {
    page,
    expectNoFaults() {
      const found = { hosts: [...hosts], faults: faults.splice(0) };
      hosts.clear();
      expect(found).toEqual({ hosts: [new URL(page.url()).host], faults: [] });
    },
  };
}

export async function withPage(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext(options);
  try {
    const { page, expectNoFaults } = await openPage(context);
    await use(page);
    expectNoFaults();
  } finally {
    await context.close();
  }
}

export const shown = (page: Page, text: string): Promise<void> =>
  // The next check by itself comes after a minute.
  page.locator('h1', { hasText: text }).waitFor({ timeout: 90_000 });

/** What axe calls serious or critical. */
export async function seriousIssues(page: Page): Promise<unknown> {
  // The page's policy forbids scripts of others; the DevTools protocol evaluates despite it.
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) })))`);
}

export const widthOfContent = (page: Page): Promise<number> => page.evaluate('document.documentElement.scrollWidth');

/** Requires that the page with this headline fits on a phone, without a serious issue of accessibility. */
export async function expectReadable(page: Page, title: string): Promise<void> {
  await shown(page, title);
  expect(await widthOfContent(page)).toBeLessThanOrEqual(360);
  expect(await seriousIssues(page)).toEqual([]);
}

/** Requires that the text for a colleague has what the tenant must enter. */
async function expectInstructions(page: Page, tenantId: string): Promise<void> {
  const records = await world.records(tenantId);
  const instructions = await page.inputValue('#instructions');
  expect(instructions).not.toContain('You do not have to enter anything');
  for (const { host, value } of records.filter(({ required, status }) => required && status !== 'found')) {
    expect(instructions).toContain(host);
    expect(instructions).toContain(value);
  }
}

/** One for all states, because each new page has its own process. */
let phone: WatchedPage | undefined;

/** Tests of what these states show. */
export function testStates(states: readonly PageState[]): void {
  test.each(states)(
    '$name: shows where the tenant stands, on a phone in light and dark, in both languages, without a serious issue of accessibility',
    async ({ name, state, says = '', handsOn = false }) => {
      phone ??= await openPage(await browser.newContext(PHONE));
      const { page, expectNoFaults } = phone;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(await address(name));
      await expectReadable(page, headline(en, state, name));
      expect(await page.title()).toContain('Acme Mail');
      expect(await page.innerText('main')).toContain(says);
      if (handsOn) await expectInstructions(page, name);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.getByRole('link', { name: de.languageName }).click();
      await expectReadable(page, headline(de, state, name));
      expectNoFaults();
    },
  );
}

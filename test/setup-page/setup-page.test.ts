import axe from 'axe-core';
import { rmSync } from 'node:fs';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { de } from '../../src/http/setup-page/texts/de.ts';
import { en } from '../../src/http/setup-page/texts/en.ts';
import type { SetupTexts } from '../../src/http/setup-page/texts/setup-texts.ts';
import { setupView } from '../http/setup-page/setup-views.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { type PageState, pageStates, scheduledStates } from './page-states.ts';
import { newDataFolder, startSendoffWith } from '../system/running-sendoff.ts';
import { openSetupPageWorld, type SetupPageWorld } from './setup-page-world.ts';

const allStates = [...pageStates, ...scheduledStates];

let world: SetupPageWorld;
let browser: Browser;
/** The address of the page in each state: all are reached at the same time. */
const pages = new Map<string, Promise<string>>();

const closings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  browser = await launchChromium();
  closings.push(() => browser.close());
  const data = newDataFolder();
  const dev = await startSendoffWith({ SENDOFF_SETUP_PAGE_NAME: 'Acme Mail' }, 'dev', '--data', data);
  closings.push(async () => {
    dev.child.kill('SIGINT');
    await dev.ended;
    rmSync(data, { recursive: true, force: true });
  });
  await dev.printed(/Press Ctrl-C to stop/);
  world = openSetupPageWorld(data);
  for (const { name, reach } of allStates) {
    const page = reach(world, name);
    // The test of the state fails, not the process.
    page.catch(() => undefined);
    pages.set(name, page);
  }
});

afterAll(async () => {
  await Promise.all(closings.map((close) => close()));
});

const address = (name: string): Promise<string> => pages.get(name)!;
const headline = (texts: SetupTexts, state: PageState['state'], tenantId: string): string =>
  state === 'notFound'
    ? texts.notFound.headline
    : texts.states[state](setupView([], { domain: `${tenantId}.test` })).headline;

const PHONE = { viewport: { width: 360, height: 740 } };

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

async function withPage(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext(options);
  try {
    const { page, expectNoFaults } = await openPage(context);
    await use(page);
    expectNoFaults();
  } finally {
    await context.close();
  }
}

const shown = (page: Page, text: string): Promise<void> =>
  // The next check by itself comes after a minute.
  page.locator('h1', { hasText: text }).waitFor({ timeout: 90_000 });

/** What axe calls serious or critical. */
async function seriousIssues(page: Page): Promise<unknown> {
  // The page's policy forbids scripts of others; the DevTools protocol evaluates despite it.
  await page.evaluate(axe.source);
  return page.evaluate(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) })))`);
}

const widthOfContent = (page: Page): Promise<number> => page.evaluate('document.documentElement.scrollWidth');

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

test.each(allStates)(
  '$name: shows where the tenant stands, on a phone in light and dark, in both languages, without a serious issue of accessibility',
  async ({ name, state, says = '', handsOn = false }) => {
    phone ??= await openPage(await browser.newContext(PHONE));
    const { page, expectNoFaults } = phone;
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(await address(name));
    await shown(page, headline(en, state, name));
    expect(await page.title()).toContain('Acme Mail');
    expect(await page.innerText('main')).toContain(says);
    if (handsOn) await expectInstructions(page, name);
    expect(await widthOfContent(page)).toBeLessThanOrEqual(360);
    expect(await seriousIssues(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.getByRole('link', { name: de.languageName }).click();
    await shown(page, headline(de, state, name));
    expect(await widthOfContent(page)).toBeLessThanOrEqual(360);
    expect(await seriousIssues(page)).toEqual([]);
    expectNoFaults();
  },
);

test('begins in the language that the browser prefers', async () => {
  await withPage({ locale: 'de-AT' }, async (page) => {
    await page.goto(await address('nothing-there'));
    await shown(page, headline(de, 'waiting', 'nothing-there'));
    expect(await page.getAttribute('html', 'lang')).toBe('de');
  });
});

test('a doubled host: shows what is wrong, copies host and value, and shows the corrected domain verified and its email delivered without a reload', async () => {
  const [records] = await Promise.all([world.onboard('fixed'), world.onboard('held', { recipientIsDown: true })]);
  const dkim = records.find(({ purpose }) => purpose === 'dkim')!;
  for (const tenantId of ['fixed', 'held']) {
    await world.publish(tenantId, 'host_doubled');
    await world.checkNow(tenantId);
  }
  const links = { fixed: await world.link('fixed'), held: await world.link('held') };
  await withPage({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    await page.goto(links.fixed);
    await shown(page, headline(en, 'wrong', 'fixed'));
    expect(await page.innerText('main')).toContain(`The record was saved as ${dkim.name}.fixed.test`);
    for (const [field, value] of [
      ['Value', dkim.value],
      ['Host', dkim.host],
    ] as const) {
      await page.getByRole('button', { name: en.records.copyField(field, en.records.purposes.dkim.name) }).click();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(value);
    }
    const held = await page.context().newPage();
    await held.goto(links.held);
    await shown(held, headline(en, 'wrong', 'held'));
    for (const each of [page, held]) await each.evaluate('window.isTheSame = true; scrollTo(0, 200)');

    // The next check is the email service's own, and the page hears of it by itself.
    for (const tenantId of ['fixed', 'held']) await world.publish(tenantId);
    await shown(page, headline(en, 'delivered', 'fixed'));
    await shown(held, headline(en, 'verified', 'held'));
    for (const each of [page, held]) expect(await each.evaluate('window.isTheSame')).toBe(true);
  });
});

test('a change during a slow answer is shown after it', async () => {
  await world.onboard('slow');
  await world.publish('slow', 'host_doubled');
  const link = await world.link('slow');
  await withPage({}, async (page) => {
    await page.addInitScript(`window.EventSource = class extends EventSource {
      constructor(url) {
        super(url);
        this.addEventListener('changed', (event) => { window.lastChange = event.lastEventId; });
      }
    };`);
    await page.goto(link);
    let letPass = (): void => undefined;
    const held = new Promise<void>((resolve) => (letPass = resolve));
    let isHeld = false;
    await page.route(link, async (route) => {
      const answer = await route.fetch();
      if (!isHeld) {
        isHeld = true;
        await held;
      }
      await route.fulfill({ response: answer });
    });
    await world.checkNow('slow');
    await expect.poll(() => isHeld, { timeout: 30_000 }).toBe(true);
    await world.publish('slow');
    await world.ended('slow');
    const version = /data-version="([^"]+)"/.exec(await (await page.request.get(link)).text())?.[1];
    await expect.poll(() => page.evaluate('window.lastChange'), { timeout: 30_000 }).toBe(version);
    letPass();
    await shown(page, headline(en, 'delivered', 'slow'));
  });
});

test('without JavaScript, everything is there, and "check now" and the zone file work', async () => {
  await withPage({ ...PHONE, javaScriptEnabled: false }, async (page) => {
    await page.goto(await address('host-doubled'));
    await shown(page, headline(en, 'wrong', 'host-doubled'));
    expect(await page.innerText('main')).toContain('where a part of the domain occurs twice');
    for (const button of await page.locator('button.copy').all()) expect(await button.isVisible()).toBe(false);
    await page.getByRole('button', { name: en.checks.checkNow }).click();
    await page.locator('#notice').waitFor();
    expect(Object.values(en.notices)).toContain(await page.innerText('#notice'));
    await page.getByRole('link', { name: de.languageName }).click();
    await shown(page, headline(de, 'wrong', 'host-doubled'));
    const file = page.getByRole('link', { name: de.handOn.downloadZoneFile });
    const zone = await page.request.get(new URL((await file.getAttribute('href'))!, page.url()).href);
    expect(await zone.text()).toMatch(
      /^; DNS-Einträge für host-doubled\.test\n[^]*\._domainkey\.host-doubled\.test\. 3600 IN TXT "v=DKIM1;/,
    );
  });
});

test('the keyboard reaches the content and "check now"', async () => {
  await withPage({}, async (page) => {
    await page.goto(await address('nothing-there'));
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe(en.skipToContent);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe(en.checks.checkNow);
    await page.keyboard.press('Enter');
    await page.locator('#notice').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe(en.checks.checkNow);
  });
});

test('prints the fields without buttons', async () => {
  await withPage({}, async (page) => {
    await page.emulateMedia({ media: 'print' });
    await page.goto(await address('host-doubled'));
    await shown(page, headline(en, 'wrong', 'host-doubled'));
    expect(await page.innerText('main')).toContain('v=DKIM1; k=rsa; p=');
    for (const button of await page.locator('button').all()) expect(await button.isVisible()).toBe(false);
  });
});

test('a zone full of markup and of long values is shown as text', async () => {
  const records = await world.onboard('hostile');
  const dkim = records.find(({ purpose }) => purpose === 'dkim')!;
  await world.publish('hostile', 'not_published');
  const markup = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', `<b>${'x'.repeat(30_000)}`];
  world.publishTexts(markup.map((text) => ({ name: dkim.name, value: `v=DKIM1; k=rsa; p=${text}` })));
  await world.checkNow('hostile');
  const link = await world.link('hostile');
  await withPage(PHONE, async (page) => {
    await page.goto(link);
    await shown(page, headline(en, 'wrong', 'hostile'));
    expect(await page.innerText('main')).toContain('<script>alert(1)</script>');
    expect(await page.evaluate('document.scripts.length')).toBe(1);
    expect(await page.locator('main img, main b').count()).toBe(0);
    expect(await widthOfContent(page)).toBeLessThanOrEqual(360);
  });
});

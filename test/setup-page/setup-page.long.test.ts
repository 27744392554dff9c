import { expect, test } from 'vitest';
import { de } from '../../src/http/setup-page/texts/de.ts';
import { en } from '../../src/http/setup-page/texts/en.ts';
import {
  address,
  headline,
  PHONE,
  shown,
  testStates,
  useBrowser,
  widthOfContent,
  withPage,
  world,
} from './browsed-pages.ts';
import { pageStates, scheduledStates } from './page-states.ts';

const states = [...pageStates, ...scheduledStates];

useBrowser(states);
testStates(states);

test('begins in the language that the browser prefers', async () => {
  await withPage({ locale: 'de-AT' }, async (page) => {
    await page.goto(await address('nothing-there'));
    await shown(page, headline(de, 'waiting', 'nothing-there'));
    expect(await page.getAttribute('html', 'lang')).toBe('de');
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

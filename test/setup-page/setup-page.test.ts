import { expect, test } from 'vitest';
import { de } from '../../src/http/setup-page/texts/de.ts';
import { en } from '../../src/http/setup-page/texts/en.ts';
import { address, headline, PHONE, shown, testStates, useBrowser, withPage, world } from './browsed-pages.ts';
import { pageStates } from './page-states.ts';

// All of them are in setup-page.long.test.ts.
const states = pageStates.filter(({ name }) => name === 'host-doubled');

useBrowser(states);
testStates(states);

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

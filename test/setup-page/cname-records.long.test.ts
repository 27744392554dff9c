// The page of a tenant whose provider asks for CNAME records, over a real register.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { de } from '../../src/http/setup-page/texts/de.ts';
import { en } from '../../src/http/setup-page/texts/en.ts';
import type { DnsRecord } from '../../src/onboarding/dns-record.ts';
import { newSetupLink, recordWaiting, type RegisterApi, startRegisterApi } from '../support/register-api.ts';
import { expectReadable, headline, PHONE, useChromium, withPage } from './browsed-pages.ts';

let api: RegisterApi;
beforeAll(async () => {
  api = await startRegisterApi();
});
afterAll(() => api.end());
useChromium();

const TARGET = 'x7fk2mqz4nw5r8s3t6v9y1a2b4c5d7e8.dkim.eu-central-1.provider.test';

/** An address of the tenant's page, whose only record is this one. */
async function pageOf(tenantId: string, { code, found }: { code: string; found: readonly string[] }): Promise<string> {
  const name = `x7fk2mqz4nw5r8s3t6v9y1a2b4c5d7e8._domainkey.${tenantId}.test`;
  const host = name.slice(0, -`.${tenantId}.test`.length);
  const publish = { type: 'CNAME', host, value: TARGET };
  const record: Partial<DnsRecord> = {
    ...{ ...publish, purpose: 'dkim', name, found: [...found] },
    status: code === 'not_published' ? 'missing' : 'wrong',
    findings: [{ code, name, fix: 'Correct the record', publish }],
  };
  await recordWaiting(api, tenantId, record);
  return newSetupLink(api, tenantId);
}

test.each([
  ['missing', { code: 'not_published', found: [] }, 'waiting', 'The record is not there yet.'],
  ['appended', { code: 'cname_target_appended', found: [`${TARGET}.appended.test`] }, 'wrong', 'added a domain'],
  ['proxied', { code: 'cname_proxied', found: ['104.16.0.1'] }, 'wrong', 'proxy'],
  ['accompanied', { code: 'cname_not_alone', found: ['v=spf1 -all'] }, 'wrong', 'must be the only one at its name'],
  ['doubled', { code: 'cname_multiple', found: [TARGET, 'old.provider.test'] }, 'wrong', 'more than one CNAME record'],
] as const)(
  '%s: says what to enter, on a phone in light and dark, in both languages, without a serious issue of accessibility',
  async (tenantId, finding, state, says) => {
    const address = await pageOf(tenantId, finding);
    await withPage({ ...PHONE, locale: 'en' }, async (page) => {
      await page.goto(address);
      await expectReadable(page, headline(en, state, tenantId));
      const text = await page.innerText('main');
      expect(text).toContain(says);
      expect(text).toContain('CNAME');
      const instructions = await page.inputValue('#instructions');
      expect(instructions).toContain('CNAME');
      expect(instructions).toContain(TARGET);
      const file = page.getByRole('link', { name: en.handOn.downloadZoneFile });
      const zone = await page.request.get(new URL((await file.getAttribute('href'))!, page.url()).href);
      expect(await zone.text()).toContain(`.${tenantId}.test. 3600 IN CNAME ${TARGET}.\n`);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.getByRole('link', { name: de.languageName }).click();
      await expectReadable(page, headline(de, state, tenantId));
    });
  },
);

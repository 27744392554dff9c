// How the page follows its record, over a real register.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { en } from '../../src/http/setup-page/texts/en.ts';
import { withClockOff } from '../support/clock-off.ts';
import { gate } from '../support/held-calls.ts';
import {
  newSetupLink,
  recordWaiting,
  type RegisterApi,
  requiredRecord,
  startRegisterApi,
} from '../support/register-api.ts';
import { headline, shown, useChromium, withPage } from './browsed-pages.ts';

let api: RegisterApi;
beforeAll(async () => {
  api = await startRegisterApi();
});
afterAll(() => api.end());
useChromium();

interface LivePage {
  readonly page: Page;
  readonly address: string;
  /** The statuses of the answers to the page's own questions. */
  readonly answers: number[];
  /** Lets time pass until the page asks again. */
  readonly ask: () => Promise<void>;
}

/** Opens the page of a tenant that waits for its records. */
async function withLivePage(tenantId: string, use: (live: LivePage) => Promise<void>): Promise<void> {
  await recordWaiting(api, tenantId);
  const address = await newSetupLink(api, tenantId);
  await withPage({ locale: 'en' }, async (page) => use(await openLivePage(page, address)));
}

async function openLivePage(page: Page, address: string): Promise<LivePage> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const answers: number[] = [];
  let questions = 0;
  page.on('request', (request) => (questions += Number(request.resourceType() === 'fetch')));
  page.on('response', (answer) => {
    if (answer.request().resourceType() === 'fetch') answers.push(answer.status());
  });
  await page.goto(address);
  await page.getByRole('button', { name: en.checks.checkNow }).waitFor();
  const ask = async (): Promise<void> => {
    const before = questions;
    const passed = async (): Promise<number> => {
      await page.clock.runFor(5_000);
      return questions;
    };
    await expect.poll(passed).toBeGreaterThan(before);
  };
  return { page, address, answers, ask };
}

async function publish(tenantId: string): Promise<void> {
  const at = new Date().toISOString();
  const run = { tenantId, attemptId: `attempt-of-${tenantId}`, runId: `run-of-${tenantId}`, at };
  const record = requiredRecord(`${tenantId}.test`, { status: 'found', findings: [] });
  await api.register.note(run, { records: [record] }, at);
}

/** Answers the next such request with what the page is at that moment, once it is released: "check now", or the page's own question. */
async function hold({ page, address }: LivePage, method: 'POST' | 'GET') {
  const [asked, released] = [gate(), gate()];
  let isHeld = false;
  await page.route(`${address}*`, async (route) => {
    if (isHeld || route.request().method() !== method) return route.fallback();
    isHeld = true;
    const response = await (method === 'GET' ? route.fetch() : page.request.get(`${address}?checked=checked`));
    asked.open();
    await released.opened;
    return route.fulfill({ response });
  });
  return { asked: asked.opened, release: released.open };
}

const pressCheck = (page: Page): Promise<void> => page.getByRole('button', { name: en.checks.checkNow }).click();
const look = (page: Page, hidden: boolean): Promise<void> =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));`);

test('while nothing changes, the answer to "check now" and what is selected stay, and the time left goes on', async () => {
  await withLivePage('steady', async (live) => {
    const { page, answers, ask } = live;
    (await hold(live, 'POST')).release();
    await pressCheck(page);
    await page.locator('#notice').waitFor();
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector('code'))`);
    const selected = await page.evaluate('getSelection().toString()');
    expect(selected).not.toBe('');
    answers.length = 0;
    await ask();
    await expect.poll(() => answers[0]).toBe(304);
    const timeLeft = await page.innerText('.times');
    await withClockOff(3_600_000, async () => {
      await ask();
      await expect.poll(() => page.innerText('.times')).not.toBe(timeLeft);
    });
    expect([await page.innerText('#notice'), await page.evaluate('getSelection().toString()')]).toEqual([
      en.notices.checked,
      selected,
    ]);
    await publish('steady');
    await ask();
    await shown(page, headline(en, 'published', 'steady'));
    expect(await page.locator('#notice').count()).toBe(0);
  });
});

test('in the background the page asks nothing, and at once when it is looked at again', async () => {
  await withLivePage('hidden', async ({ page, answers }) => {
    await look(page, true);
    await publish('hidden');
    await page.clock.runFor(60_000);
    expect(answers).toEqual([]);
    await look(page, false);
    await shown(page, headline(en, 'published', 'hidden'));
    expect(answers).toEqual([200]);
  });
});

test('what is shown stays while the server fails or hangs up, and follows when it answers, until the link ends', async () => {
  await withLivePage('failing', async (other) => {
    // The browser reports such answers as errors.
    const { page, address, answers, ask } = await openLivePage(await other.page.context().newPage(), other.address);
    await page.evaluate('window.isTheSame = true');
    await publish('failing');
    const faults = [503, 200, undefined];
    await page.route(address, (route) => {
      const status = faults.shift();
      return status === undefined ? route.abort() : route.fulfill({ status, body: '<h1>Log in</h1>' });
    });
    while (faults.length > 0) await ask();
    await page.unroute(address);
    await expect.poll(() => answers).toEqual([503, 200]);
    expect(await page.innerText('h1')).toBe(headline(en, 'waiting', 'failing'));
    await ask();
    await shown(page, headline(en, 'published', 'failing'));
    expect(await page.evaluate('window.isTheSame')).toBe(true);
    await fetch(`${api.url}/onboardings/failing/setup-links`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${api.token}` },
    });
    await ask();
    await shown(page, en.notFound.headline);
  });
});

test.each(['before', 'after'] as const)(
  'an answer that comes %s that of a check does not replace it',
  async (order) => {
    await withLivePage(`late-${order}`, async (live) => {
      const { page, answers, ask } = live;
      const [question, check] = [await hold(live, 'GET'), await hold(live, 'POST')];
      await publish(`late-${order}`);
      await ask();
      await question.asked;
      await pressCheck(page);
      await check.asked;
      const late = page.waitForEvent('requestfinished', (request) => request.method() === 'GET');
      if (order === 'after') {
        check.release();
        await page.locator('#notice').waitFor();
      }
      question.release();
      await late;
      // The check is under way, and nothing is asked beside it.
      if (order === 'before') {
        await page.clock.runFor(20_000);
        expect(await page.innerText('#check-now button')).toBe(en.checks.checking);
        check.release();
      }
      await page.locator('#notice').waitFor();
      await ask();
      await expect.poll(() => answers.at(-1)).toBe(304);
      expect(await page.innerText('#notice')).toBe(en.notices.checked);
      expect(answers.filter((status) => status === 200)).toHaveLength(2);
    });
  },
);

// The report as an HTML page, in a real browser: hostile names stay text, and nothing is fetched.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { OutcomeCounts, ProducerRecord } from '../../src/store/agents-md/producers.ts';
import { renderReport } from '../../src/http/routes/agents-md/report.ts';
import { seriousIssues } from '../setup-page/browsed-pages.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HOSTILE = '<img src="https://attacker.test/x" onerror="document.title=1">';
const outcomes = { pass: 1, partial: 0, fail: 2, unchecked: 0 };
const row = (producerId: string, outcome: 'pass' | 'fail', message: string): ProducerRecord => ({
  ...{ producerId, host: 'github.com', organization: 'acme', primaryRepository: 'main', paused: false },
  ...{ everyMs: 86_400_000, labels: [HOSTILE], nextCheckAt: null },
  latest: {
    ...{ outcome, reasonCode: outcome === 'pass' ? 'content_found' : 'file_not_found', message },
    ...{ checkedAt: '2026-11-24T12:00:00.000Z', outcomeSince: '2026-11-20T12:00:00.000Z' },
  },
  lastAttempt: null,
});

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

async function contentOf(counts: OutcomeCounts, rows: AsyncIterable<ProducerRecord[]>): Promise<string> {
  const report = { at: '2026-11-24T12:00:00.000Z', counts, pace: { requestsMax: 6, hoursMax: 0.1 }, rows };
  let content = '';
  for await (const part of renderReport('html', report)) content += part;
  return content;
}

test('shows every producer with what to do, is accessible, and runs and fetches nothing', async () => {
  async function* rows() {
    yield [row('a', 'pass', 'AGENTS.md has 408 characters.'), row('b', 'fail', HOSTILE), row('c', 'fail', 'None.')];
  }
  const counts = {
    ...{ total: 3, outcomes, reasons: { content_found: 1, file_not_found: 2 } },
    ...{ labels: [{ label: HOSTILE, outcomes }], days: [{ day: '2026-11-24', outcomes }], hosts: {} },
  };
  const page = await browser.newPage();
  const fetched: string[] = [];
  page.on('request', (request) => fetched.push(request.url()));
  await page.setContent(await contentOf(counts, rows()), { waitUntil: 'load' });
  expect(fetched).toEqual([]);
  expect(await page.title()).toBe('AGENTS.md of 3 producers');
  const cells = await page.locator('tr.pass td:first-child, tr.fail td:first-child').allTextContents();
  expect(cells).toEqual(['a', 'b', 'c']);
  expect(await page.locator('tr.fail').first().innerText()).toContain(HOSTILE);
  expect(await page.locator('tr.fail td:last-child').last().innerText()).toMatch(/AGENTS\.md/);
  expect(await seriousIssues(page)).toEqual([]);
  await page.close();
});

// As one table, it took a minute.
test('a page of 50,000 producers is laid out within seconds', async () => {
  async function* rows() {
    for (let read = 0; read < 50; read += 1) {
      yield Array.from({ length: 1_000 }, (_, at) =>
        row(`p-${String(read * 1_000 + at)}`, 'fail', 'None. '.repeat(12)),
      );
    }
  }
  const counts = { total: 50_000, outcomes, reasons: {}, labels: [], days: [], hosts: {} };
  const file = join(temporaryFolder(), 'report.html');
  writeFileSync(file, await contentOf(counts, rows()));
  const page = await browser.newPage();
  await page.goto(`file://${file}`, { timeout: 25_000 });
  expect(await page.locator('tr.fail').count()).toBe(50_000);
  const last = page.locator('tr.fail').last();
  expect(await last.textContent()).toContain('p-49999');
  const edges = await page
    .locator('section table')
    .evaluateAll((tables) =>
      [0, 49].map((at) => tables[at]?.querySelector('td:nth-child(3)')?.getBoundingClientRect().left),
    );
  expect(edges[0]).toBe(edges[1]);
  await page.close();
});

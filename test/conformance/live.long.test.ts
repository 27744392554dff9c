// A live run, with the simulation in the provider's place: what it creates is noted before, and deleted.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runConformance } from '../../src/cli/conformance/run-conformance.ts';
import { FAKE_KEY, type FakeResend, startFakeResend } from '../../src/conformance/fakes/fake-resend.ts';
import type { TargetReport } from '../../src/conformance/report.ts';

let fake: FakeResend;
let folder: string;
let printed: string;
beforeEach(async () => {
  fake = await startFakeResend({ isPublished: () => false });
  folder = mkdtempSync(join(tmpdir(), 'sendoff-test-'));
  printed = '';
});
afterEach(async () => {
  await fake.close();
  rmSync(folder, { recursive: true });
});

const run = (options: Parameters<typeof runConformance>[0], ask = () => Promise.resolve(true)): Promise<number> =>
  runConformance(options, {
    environment: { RESEND_API_KEY: FAKE_KEY, RESEND_URL: fake.baseUrl, RESEND_REQUESTS_PER_SECOND: '1000' },
    write: (text) => (printed += text),
    report: () => undefined,
    ask,
    journal: join(folder, 'journal.jsonl'),
  });

test('proves what it can without DNS, says what it cannot, and leaves what was there', async () => {
  fake.domains.push({ id: 'own', name: 'example.test', status: 'verified' });
  fake.keys.push({ id: 'key', name: 'production', token: 'x' });
  await run({ provider: 'resend', live: true, domain: 'example.test', yes: true, json: true });
  const [report] = (JSON.parse(printed) as { reports: TargetReport[] }).reports;
  expect(report?.cases.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
  expect(report?.cases.filter(({ verdict }) => verdict === 'held').length).toBeGreaterThan(4);
  expect(report?.cases.find(({ group }) => group === 'whole')).toMatchObject({ verdict: 'not proven' });
  expect(report?.left).toEqual([]);
  expect(printed).not.toContain(FAKE_KEY);
  expect([fake.domains.map(({ id }) => id), fake.keys.map(({ id }) => id), fake.emails]).toEqual([
    ['own'],
    ['key'],
    [],
  ]);
  expect(existsSync(join(folder, 'journal.jsonl'))).toBe(false);
});

test('creates nothing without consent or a domain', async () => {
  expect(await run({ provider: 'resend', live: true, domain: 'example.test' }, () => Promise.resolve(false))).toBe(1);
  await expect(run({ provider: 'resend', live: true, yes: true })).rejects.toThrow('--domain');
  await expect(run({ live: true, yes: true })).rejects.toThrow('--provider');
  expect(fake.requests).toEqual([]);
});

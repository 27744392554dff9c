import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Producer, readProducer } from '../../../src/agents-md/producer.ts';
import type { CheckResult } from '../../../src/agents-md/check-result.ts';
import { verdict } from '../../../src/agents-md/verdict.ts';
import { createSqlCheckStore } from '../../../src/store/agents-md/check-store.ts';
import { createSqlProducers, type Producers } from '../../../src/store/agents-md/sql-producers.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';

let opened: TestRegister;
let producers: Producers;

beforeEach(async () => {
  opened = await openTestRegister();
  producers = createSqlProducers(opened.database);
});
afterEach(() => opened.end());

const AT = '2026-03-02T00:00:00.000Z';
const producer = (producerId: string, more: object = {}): Producer =>
  readProducer({ producerId, organization: 'acme', primaryRepository: producerId, ...more }) as Producer;

/** @param change what differs from a check of a producer without an organization, which fails */
async function check(producerId: string, checkedAt: string, change: Partial<CheckResult> = {}): Promise<void> {
  const record = await producers.get(producerId);
  const soFar = { input: { producerId }, startedAt: checkedAt, previous: null, observations: [] };
  const made = verdict(soFar, checkedAt);
  const { organization = null, primaryRepository = null } = record ?? {};
  const result = { ...made, subject: { ...made.subject, organization, primaryRepository }, ...change };
  const { lastConclusive } = made;
  const checks = createSqlCheckStore(opened.database);
  const before = await checks.get(producerId);
  const stored = { check: { result, observations: [], resolved: null, lastConclusive }, version: checkedAt };
  expect(await checks.replace(stored, before?.version ?? null)).toBeNull();
}

test('a list of producers replaces the table, all in one step', async () => {
  await producers.put([producer('a'), producer('b'), producer('c')], { at: AT });
  const next = [producer('a'), producer('b', { labels: ['core'] }), producer('d')];
  const asked = { at: AT, removeMissing: true };
  const changes = {
    added: { count: 1, producers: ['d'] },
    changed: { count: 1, producers: ['b'] },
    removed: { count: 1, producers: ['c'] },
    unchanged: { count: 1, producers: ['a'] },
  };
  expect(await producers.put(next, { ...asked, dryRun: true })).toEqual(changes);
  expect(await producers.get('c')).toMatchObject({ producerId: 'c' });
  expect(await producers.put(next, asked)).toEqual(changes);
  expect(await producers.get('c')).toBeUndefined();
  const labelled = await producers.list({ label: 'core' }, { limit: 10, after: undefined });
  expect(labelled.map(({ producerId }) => producerId)).toEqual(['b']);
});

test('a result is on the row, and an inconclusive one does not replace it', async () => {
  await producers.put([producer('a', { every: '1d' })], { at: AT });
  await check('a', '2026-03-02T01:00:00.000Z');
  await check('a', '2026-03-02T02:00:00.000Z', { status: 'inconclusive', outcome: null, reasonCode: 'throttled' });
  const record = await producers.get('a');
  expect(record?.latest).toMatchObject({ outcome: 'fail', checkedAt: '2026-03-02T01:00:00.000Z' });
  expect(record?.lastAttempt).toEqual({ at: '2026-03-02T02:00:00.000Z', reasonCode: 'throttled' });
  // Within an hour and a tenth, although the interval is a day.
  expect(record?.nextCheckAt).toMatch(/^2026-03-02T0[23]:/);
});

test('the outcome keeps the time of its change, and the last 50 results stay', async () => {
  await producers.put([producer('a')], { at: AT });
  const at = (minute: number): string => new Date(Date.parse(AT) + minute * 60_000).toISOString();
  for (let minute = 1; minute <= 52; minute += 1) await check('a', at(minute));
  expect((await producers.get('a'))?.latest).toMatchObject({ checkedAt: at(52), outcomeSince: at(1) });
  const results = await producers.results('a');
  expect([results.length, results.at(-1)?.checkedAt]).toEqual([50, at(3)]);
});

test('the result of a check of another organization is not on the row', async () => {
  await producers.put([producer('a')], { at: AT });
  await check('a', AT, { subject: { ...verdictSubject, organization: 'other' } });
  expect((await producers.get('a'))?.latest).toBeNull();
});
const verdictSubject = {
  ...{ producerId: 'a', host: 'github.com', organization: 'acme', primaryRepository: 'a', selectedBy: null },
} as CheckResult['subject'];

test('what is due comes by organization, a page after the other', async () => {
  const list = [
    producer('z', { organization: 'Acme' }),
    producer('y', { organization: 'beta' }),
    producer('x'),
    producer('paused', { paused: true }),
  ];
  await producers.put(list, { at: AT });
  const page = { host: 'github.com', dueBy: AT, limit: 2 } as const;
  const first = await producers.due({ ...page, after: null });
  expect(first.map(({ producerId }) => producerId)).toEqual(['x', 'z']);
  const second = await producers.due({ ...page, after: first.at(-1)?.position ?? null });
  expect(second.map(({ producerId }) => producerId)).toEqual(['y']);
  expect(await producers.dueHosts(AT)).toEqual(['github.com']);
});

test('progress says who was asked for and who has answered', async () => {
  await producers.put([producer('a', { labels: ['core'] }), producer('b'), producer('c')], { at: AT });
  const asked = '2026-03-03T00:00:00.000Z';
  expect(await producers.askFor({ ids: ['a', 'b', 'none'] }, asked)).toBe(2);
  await check('a', '2026-03-03T00:01:00.000Z');
  expect(await producers.progress(asked)).toEqual({
    askedAt: asked,
    total: 2,
    answered: 1,
    outcomes: { pass: 0, partial: 0, fail: 1, inconclusive: 0 },
  });
  expect(await producers.askFor({ label: 'core' }, AT)).toBe(1);
  expect(await producers.askFor({ all: true }, AT)).toBe(3);
});

test('a second request leaves the producers of the first one in its progress', async () => {
  await producers.put([producer('a', { labels: ['core'] }), producer('b'), producer('c')], { at: AT });
  const minute = (at: number): string => new Date(Date.parse(AT) + at * 60_000).toISOString();
  await producers.askFor({ all: true }, minute(1));
  await check('a', minute(2));
  await producers.askFor({ ids: ['a', 'b'] }, minute(3));
  await producers.askFor({ label: 'core' }, minute(4));
  expect(await producers.progress(minute(1))).toMatchObject({ total: 3, answered: 1 });
  expect(await producers.progress(minute(3))).toMatchObject({ total: 2, answered: 0 });
  for (const id of ['a', 'b', 'c']) await check(id, minute(5));
  for (const [asked, total] of [
    [1, 3],
    [3, 2],
    [4, 1],
  ] as const) {
    expect(await producers.progress(minute(asked))).toMatchObject({ total, answered: total });
  }
  for (let later = 6; later < 26; later += 1) await producers.askFor({ ids: ['c'] }, minute(later));
  expect(await producers.progress(minute(4))).toMatchObject({ total: 0 });
  expect(await producers.progress(minute(6))).toMatchObject({ total: 1 });
});

test('pausing and a change of the same producer keep what the other wrote, whichever is first', async () => {
  const isPaused = async (): Promise<unknown> => {
    const { paused, labels, nextCheckAt } = (await producers.get('a')) ?? {};
    expect(labels).toEqual(['core']);
    expect(nextCheckAt === null).toBe(paused);
    return paused;
  };
  await producers.put([producer('a')], { at: AT });
  const labelled = producer('a', { labels: ['core'] });
  await producers.put([labelled], { at: AT });
  expect(await producers.setPaused('a', true, AT)).toMatchObject({ paused: true, labels: ['core'], nextCheckAt: null });
  expect(await isPaused()).toBe(true);
  await producers.put([labelled], { at: AT });
  expect(await isPaused()).toBe(false);
  for (let round = 0; round < 20; round += 1) {
    await producers.put([producer('a', { labels: [`round-${String(round)}`] })], { at: AT });
    const writers = [() => producers.put([labelled], { at: AT }), () => producers.setPaused('a', true, AT)];
    await Promise.all((round % 2 === 0 ? writers : writers.toReversed()).map((write) => write()));
    await isPaused();
  }
  expect(await producers.setPaused('a', true, AT)).toMatchObject({ paused: true });
  const later = '2026-03-04T00:00:00.000Z';
  expect(await producers.setPaused('a', false, later)).toMatchObject({ paused: false, nextCheckAt: later });
  expect(await producers.setPaused('a', false, AT)).toMatchObject({ paused: false, nextCheckAt: later });
  expect(await producers.setPaused('none', true, AT)).toBeUndefined();
});

test('a result that is older than a request leaves the producer due, also a paused one that was named', async () => {
  await producers.put([producer('a'), producer('b', { paused: true })], { at: AT });
  const asked = '2026-03-03T00:00:00.000Z';
  await producers.askFor({ ids: ['a', 'b'] }, asked);
  for (const id of ['a', 'b']) await check(id, '2026-03-02T23:59:59.000Z');
  const due = await producers.due({ host: 'github.com', dueBy: asked, limit: 9, after: null });
  expect(due.map(({ producerId }) => producerId).toSorted()).toEqual(['a', 'b']);
  expect(await producers.progress(asked)).toMatchObject({ total: 2, answered: 0 });
  for (const id of ['a', 'b']) await check(id, '2026-03-03T00:00:01.000Z');
  expect(await producers.dueHosts(asked)).toEqual([]);
  expect(await producers.progress(asked)).toMatchObject({ total: 2, answered: 2 });
});

test('a producer that is paused is no longer waited for', async () => {
  await producers.put([producer('a'), producer('b')], { at: AT });
  const asked = '2026-03-03T00:00:00.000Z';
  await producers.askFor({ all: true }, asked);
  await producers.put([producer('a', { paused: true }), producer('b', { every: '2d' })], { at: asked });
  expect(await producers.progress(asked)).toMatchObject({ total: 1, answered: 0 });
});

test('the result of a repository that was named before does not answer for one that is to be found', async () => {
  await producers.put([producer('a', { primaryRepository: undefined })], { at: AT });
  await check('a', AT, { subject: { ...verdictSubject, selectedBy: 'input' } });
  expect(await producers.get('a')).toMatchObject({ latest: null, nextCheckAt: AT });
  await check('a', '2026-03-02T00:00:01.000Z', { subject: { ...verdictSubject, selectedBy: 'mostStars' } });
  expect((await producers.get('a'))?.latest).not.toBeNull();
});

test('the counts have the last 400 days, whole', async () => {
  const days = Array.from({ length: 402 }, (_, index) =>
    new Date(Date.UTC(2026, 0, index + 1)).toISOString().slice(0, 10),
  );
  const rows = days.map((day) => ({ day, outcome: 'fail' as const, producers: 1 }));
  await opened.database.insertInto('producer_days').values(rows).execute();
  expect((await producers.counts()).days.map(({ day }) => day)).toEqual(days.slice(2));
});

test('the counts are of outcomes, reasons, labels and days', async () => {
  await producers.put([producer('a', { labels: ['core'] }), producer('b')], { at: AT });
  await check('a', AT);
  await producers.keepDay('2026-03-02');
  await producers.keepDay('2026-03-02');
  const outcomes = { pass: 0, partial: 0, fail: 1, unchecked: 1 };
  expect(await producers.counts()).toMatchObject({
    total: 2,
    outcomes,
    labels: [{ label: 'core', outcomes: { ...outcomes, unchecked: 0 } }],
    days: [{ day: '2026-03-02', outcomes }],
  });
});

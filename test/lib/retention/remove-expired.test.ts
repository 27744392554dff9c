import { expect, test } from 'vitest';
import {
  type Expiring,
  type PageToRemove,
  removeExpired,
  type RetentionProgress,
} from '../../../src/lib/retention/remove-expired.ts';
import { retention, retentionOrOff } from '../../../src/lib/retention/parse-retention.ts';

const DAY_MS = 86_400_000;
const now = new Date('2026-11-22T12:00:00.000Z');

/** A kind with three pages, and what was asked of it. */
function kindOf(kind: string, keepMs: number | undefined) {
  const asked: PageToRemove[] = [];
  const expiring: Expiring = {
    kind,
    keepMs,
    async removePage(page) {
      asked.push(page);
      const [last = 0] = (page.after ?? []) as number[];
      return { removed: 10, next: last < 2 ? [last + 1] : undefined };
    },
  };
  return { expiring, asked };
}

test('removes each kind up to its own time, page by page, and none that is kept for ever', async () => {
  const [emails, events, kept] = [kindOf('emails', 90 * DAY_MS), kindOf('events', DAY_MS), kindOf('kept', undefined)];
  const pages: RetentionProgress[] = [];
  const report = await removeExpired([emails.expiring, kept.expiring, events.expiring], {
    now,
    progress: undefined,
    onPage: async (progress) => void pages.push(progress),
  });
  expect(report).toEqual({ emails: 30, events: 30 });
  expect(emails.asked).toEqual(
    [undefined, [1], [2]].map((after) => ({ before: '2026-08-24T12:00:00.000Z', after, limit: 100 })),
  );
  expect(new Set(events.asked.map(({ before }) => before))).toEqual(new Set(['2026-11-21T12:00:00.000Z']));
  expect(kept.asked).toEqual([]);
  expect(pages[1]).toEqual({ kind: 'emails', after: [2], removed: { emails: 20 } });
});

test('continues behind the last page of an attempt that was interrupted, and adds up both', async () => {
  const stop = new Error('stopped');
  const kinds = [kindOf('emails', DAY_MS), kindOf('events', DAY_MS)] as const;
  const expiring = kinds.map((kind) => kind.expiring);
  let progress: RetentionProgress | undefined;
  const interrupted = removeExpired(expiring, {
    now,
    progress: undefined,
    onPage: async (page) => {
      progress = JSON.parse(JSON.stringify(page)) as RetentionProgress;
      if (page.kind === 'events' && page.after !== null) throw stop;
    },
  });
  await expect(interrupted).rejects.toBe(stop);
  expect(await removeExpired(expiring, { now, progress, onPage: async () => undefined })).toEqual({
    emails: 30,
    events: 30,
  });
  expect(kinds.map(({ asked }) => asked.map(({ after }) => after))).toEqual([
    [undefined, [1], [2]],
    [undefined, [1], [2]],
  ]);
});

test.each([
  ['1d', DAY_MS],
  ['90 days', 90 * DAY_MS],
  ['3650d', 3_650 * DAY_MS],
])('a retention of %s', (text, ms) => {
  expect(retention(text)).toBe(ms);
  expect(retentionOrOff(text)).toBe(ms);
});

test.each(['', '0', '23h', '-1d', '90', '3651d', 'forever'])('%j is no retention', (text) => {
  expect(() => retention(text)).toThrow(/^a duration from 1 to 3650 days/);
  expect(() => retentionOrOff(text)).toThrow(/^off, or a duration from 1 to 3650 days/);
});

test('only some kinds may be kept for ever', () => {
  expect(retentionOrOff('off')).toBeUndefined();
  expect(() => retention('off')).toThrow();
});

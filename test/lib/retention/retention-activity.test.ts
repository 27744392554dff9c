import { MockActivityEnvironment } from '@temporalio/testing';
import { CancelledFailure } from '@temporalio/common';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lastRetention } from '../../../src/lib/retention/last-retention.ts';
import type { Expiring, PageToRemove, RemovedPage } from '../../../src/lib/retention/remove-expired.ts';
import { createRetentionActivity } from '../../../src/lib/retention/retention-activity.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';

let opened: TestRegister;
beforeEach(async () => {
  opened = await openTestRegister();
});
afterEach(() => opened.end());
const retention = (kind: Expiring, now?: () => Date) => createRetentionActivity(opened.database, [kind], now);

const kindOf = (removePage: (page: PageToRemove) => RemovedPage): Expiring => ({
  kind: 'emails',
  keepMs: 86_400_000,
  removePage: async (page) => removePage(page),
});

test('lets the process do other work between two pages', async () => {
  let hasRun = false;
  const seen: boolean[] = [];
  const kind = kindOf(({ after }) => {
    // A driver that is synchronous, as that of SQLite, answers without a turn of the event loop.
    if (after === undefined) setTimeout(() => (hasRun = true));
    seen.push(hasRun);
    return { removed: 1, next: after === undefined ? ['last'] : undefined };
  });
  expect(await new MockActivityEnvironment().run(retention(kind))).toEqual({ emails: 2 });
  expect(seen).toEqual([false, true]);
});

test('ends after the page under way when its Worker stops, and continues with the next one elsewhere', async () => {
  const asked: PageToRemove['after'][] = [];
  const first = new MockActivityEnvironment();
  let details: unknown;
  first.on('heartbeat', (progress) => {
    details = progress;
  });
  const kind = (onPage: () => void) =>
    kindOf(({ after }) => {
      asked.push(after);
      onPage();
      const [last = 0] = (after ?? []) as number[];
      return { removed: 100, next: last < 3 ? [last + 1] : undefined };
    });
  const stopped = first.run(
    retention(
      kind(() => {
        if (asked.length === 2) first.cancel();
      }),
    ),
  );
  await expect(stopped).rejects.toBeInstanceOf(CancelledFailure);
  expect(await lastRetention(opened.database)).toBeUndefined();
  const now = new Date('2026-01-01T00:00:00.000Z');
  const second = new MockActivityEnvironment({ heartbeatDetails: JSON.parse(JSON.stringify(details)) as object });
  expect(
    await second.run(
      retention(
        kind(() => undefined),
        () => now,
      ),
    ),
  ).toEqual({ emails: 400 });
  expect(asked).toEqual([undefined, [1], [2], [3]]);
  expect(await lastRetention(opened.database)).toEqual(now);
});

import { beforeEach, expect, test } from 'vitest';
import { createTenant } from '../../../src/dev/world/tenant.ts';
import type { ZoneRecord } from '../../../src/dev/world/zone-record.ts';

const record: ZoneRecord = { type: 'TXT', name: 'bounce.acme.test', value: 'v=spf1 -all' };

let published: ZoneRecord[];
const dns = {
  publish: (records: readonly ZoneRecord[]): void => {
    published.push(...records);
  },
};

beforeEach(() => {
  published = [];
});

test('publishes the records of its onboarding after a delay', async () => {
  const shown = { ...record, status: 'missing' };
  const tenant = createTenant({ dns, publishAfterMs: 20 });
  const done = tenant.publishLater([shown]);
  expect(published).toEqual([]);
  await done;
  expect(published).toEqual([record]);
});

test('publishes nothing after it is stopped', async () => {
  const stopped = new AbortController();
  const done = createTenant({ dns, publishAfterMs: 60_000 }).publishLater([record], stopped.signal);
  stopped.abort();
  await expect(done).rejects.toThrow();
  expect(published).toEqual([]);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepWatchSchedule } from '../../src/client/watch-schedule.ts';
import { WATCH_SCHEDULE_ID } from '../../src/workflows/messages.ts';
import { devServer, type TestServer } from '../support/temporal.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

// Only the real server has Schedules.
let server: TestServer;
beforeAll(async () => {
  server = await devServer({ searchAttributes: [] });
});
afterAll(() => server.stop());

test('the Schedule follows the interval, stays paused, and is deleted when watching is off', async () => {
  const { client } = server.environment;
  const handle = client.schedule.getHandle(WATCH_SCHEDULE_ID);
  const everyMs = async () => (await handle.describe()).spec.intervals?.[0]?.every;
  // Two Workers start at once.
  await Promise.all([keepWatchSchedule(client, DAY_MS), keepWatchSchedule(client, DAY_MS)]);
  expect(await everyMs()).toBe(60 * MINUTE_MS);
  await handle.pause('DNS maintenance');
  const { info } = await handle.describe();
  await keepWatchSchedule(client, DAY_MS);
  expect((await handle.describe()).info.lastUpdatedAt).toEqual(info.lastUpdatedAt);
  await keepWatchSchedule(client, 5 * MINUTE_MS);
  expect(await everyMs()).toBe(5 * MINUTE_MS);
  expect((await handle.describe()).state).toMatchObject({ paused: true, note: 'DNS maintenance' });
  await keepWatchSchedule(client, undefined);
  await expect(handle.describe()).rejects.toThrow(/not found/i);
  await keepWatchSchedule(client, undefined);
});

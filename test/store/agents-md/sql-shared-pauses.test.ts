import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SharedPauses } from '../../../src/agents-md/shared-pauses.ts';
import { createSqlSharedPauses } from '../../../src/store/agents-md/sql-shared-pauses.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';

let opened: TestRegister;
let pauses: SharedPauses;
beforeEach(async () => {
  opened = await openTestRegister();
  pauses = createSqlSharedPauses(opened.database);
});
afterEach(() => opened.end());

const origin = 'https://raw.example';
const untilMs = Date.parse('2026-03-08T00:30:00.000Z');

test('keeps the later end of a pause, for each origin', async () => {
  await pauses.put(origin, { untilMs, because: 'status 429 to an earlier request' });
  await pauses.put(origin, { untilMs: untilMs - 1, because: 'status 503 to an earlier request' });
  expect(await pauses.get(origin)).toEqual({ untilMs, because: 'status 429 to an earlier request' });
  await pauses.put(origin, { untilMs: untilMs + 1, because: 'its quota is exhausted' });
  expect(await pauses.get(origin)).toEqual({ untilMs: untilMs + 1, because: 'its quota is exhausted' });
  expect(await pauses.get('https://api.example')).toBeUndefined();
});

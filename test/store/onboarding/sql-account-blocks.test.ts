import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AccountBlocks, createSqlAccountBlocks } from '../../../src/store/onboarding/sql-account-blocks.ts';
import { openTestRegister, type TestRegister } from '../../support/test-register.ts';

let opened: TestRegister;
let blocks: AccountBlocks;
beforeEach(async () => {
  opened = await openTestRegister();
  blocks = createSqlAccountBlocks(opened.database);
});
afterEach(() => opened.end());

const at = (minute: number): string => `2026-11-24T12:${String(minute).padStart(2, '0')}:00.000Z`;
const note = (minute: number, code = 'daily_quota_exceeded') =>
  blocks.note({
    provider: 'resend',
    code,
    message: `refused at ${minute}`,
    lastAt: at(minute),
    until: at(minute + 10),
  });

test('the first refusal of all Workers is news, and those that follow are not', async () => {
  expect((await Promise.all([note(1), note(1), note(1)])).filter(Boolean)).toHaveLength(1);
  expect(await note(5, 'monthly_quota_exceeded')).toBe(false);
  expect(await blocks.list(at(6))).toEqual([
    {
      ...{ provider: 'resend', code: 'monthly_quota_exceeded', message: 'refused at 5' },
      ...{ since: at(1), lastAt: at(5), until: at(15) },
    },
  ]);
});

test('another refusal after a quiet time is news', async () => {
  await note(1);
  expect(await blocks.list(at(12))).toEqual([]);
  expect(await note(12)).toBe(true);
  expect(await blocks.list(at(13))).toMatchObject([{ since: at(12) }]);
});

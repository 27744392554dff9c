// An operator's account that the provider refuses: nothing ends and nothing is undone, and the operator learns of it once.
import { expect, test } from 'vitest';
import { createSqlAccountBlocks } from '../../../src/store/onboarding/sql-account-blocks.ts';
import { atResend, left, resend, useResend } from './at-resend.ts';

useResend();

const refusal = (name: string, headers?: Record<string, string>) => ({
  status: 429,
  body: { statusCode: 429, name, message: 'You have reached your quota' },
  ...(headers && { headers }),
});

test.each([
  ['with Retry-After', { 'retry-after': '21600' }, 20],
  ['without Retry-After', undefined, 600],
])(
  'a quota that lasts for three days, %s, ends nothing, and the onboarding continues',
  async (_name, headers, most) => {
    let isBlocked = true;
    resend.rules.before = (request) =>
      isBlocked && request === 'POST /emails' ? refusal('daily_quota_exceeded', headers) : undefined;
    await atResend({}, async (environment) => {
      const { start, sleep, database, register } = environment;
      const handle = await start();
      await environment.until(() => resend.count(/^POST .emails$/) > 0);
      await sleep('72 hours');
      const record = await register.get('acme');
      expect(record?.outcome).toBe('running');
      expect(record?.waiting).toMatchObject({ activity: 'sendFirstEmail' });
      expect(record?.waiting?.message).toMatch(/refuses the operator's account: .*daily_quota_exceeded/);
      const [row, ...others] = await createSqlAccountBlocks(database).list(record?.waiting?.at ?? '');
      expect(others).toEqual([]);
      expect(row).toMatchObject({ provider: 'resend', code: 'daily_quota_exceeded' });
      expect(Date.parse(row?.lastAt ?? '') - Date.parse(row?.since ?? '')).toBeGreaterThan(60 * 3_600_000);
      expect(resend.count(/^POST .emails$/)).toBeLessThan(most);
      isBlocked = false;
      await handle.result();
      expect(left()).toEqual([1, 1, 1]);
    });
  },
);

// An operator's account that the provider refuses: nothing ends and nothing is undone, and the operator learns of it once.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createResendAccount } from '../../../src/email-provider/adapters/resend/resend-account.ts';
import type { OperatorAccount } from '../../../src/email-provider/operator-account.ts';
import { createSqlAccountBlocks } from '../../../src/store/onboarding/sql-account-blocks.ts';
import { FAST, type FakeResend, startFakeResend } from '../../../src/conformance/fakes/fake-resend.ts';
import { withOnboardings } from '../../support/onboarding-environment.ts';

let resend: FakeResend;
let account: OperatorAccount;
beforeEach(async () => {
  resend = await startFakeResend();
  account = createResendAccount({ baseUrl: resend.baseUrl, ...FAST });
});
afterEach(async () => {
  await account.close();
  await resend.close();
});

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
    await withOnboardings(
      { dns: () => 'published' },
      async ({ start, sleep, database, register }) => {
        const handle = await start();
        for (let tries = 0; tries < 100 && resend.count(/^POST .emails$/) === 0; tries += 1) await sleep('10 seconds');
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
        expect([resend.domains.length, resend.keys.length, resend.emails.length]).toEqual([1, 1, 1]);
      },
      undefined,
      undefined,
      { accounts: { resend: account } },
    );
  },
);

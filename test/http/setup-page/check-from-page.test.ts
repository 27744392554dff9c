import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createPageCheck } from '../../../src/http/setup-page/check-from-page.ts';
import { newRecord } from '../../../src/onboarding/onboarding-record.ts';
import { newOnboarding } from '../../../src/onboarding/onboarding.ts';
import type { StoredRecord } from '../../../src/store/onboarding/register.ts';
import { inputOf } from '../../support/valid-input.ts';

const AT = '2026-01-02T03:04:05.000Z';
const recordOf = (tenantId: string): StoredRecord => ({
  ...{ ...newRecord, tenantId, attemptId: tenantId, runId: tenantId, startedAt: AT, startedWith: null },
  ...{ onboarding: newOnboarding(inputOf(tenantId)), stageSince: AT, updatedAt: AT },
});

test('keeps the answers of a thousand onboardings at most', async () => {
  const asked: string[] = [];
  const press = createPageCheck({
    register: { addEvent: async () => undefined },
    onboardings: {
      async checkNow(tenantId) {
        asked.push(tenantId);
        return { kind: 'tooSoon', reason: 'x', waitMs: 3_600_000 };
      },
    },
  });
  const pressAll = async (tenantIds: readonly string[]): Promise<number> => {
    const before = asked.length;
    for (const tenantId of tenantIds) await press(recordOf(tenantId), pino({ level: 'silent' }));
    return asked.length - before;
  };
  const thousand = Array.from({ length: 1_000 }, (_, n) => `tenant-${String(n)}`);
  expect(await pressAll(thousand)).toBe(1_000);
  expect(await pressAll(thousand)).toBe(0);
  expect(await pressAll(['another', 'tenant-0'])).toBe(2);
});

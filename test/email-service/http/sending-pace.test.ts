import { describe, expect, test } from 'vitest';
import { createSendingPace } from '../../../src/email-service/http/sending-pace.ts';

const one = { accountId: 'acc_1', minuteLimit: 600, emails: 1 };

describe('the pace of what an account sends', () => {
  test('is ten emails at once, and then twice what it may send in a minute', () => {
    let now = 0;
    const delayOf = createSendingPace(() => now);
    const delays = Array.from({ length: 13 }, () => delayOf(one));
    expect([delays.slice(0, 11).every((delay) => delay === 0), delays.slice(11)]).toEqual([true, [50, 100]]);
    expect(delayOf({ ...one, accountId: 'acc_2' })).toBe(0);
    now = 10_000;
    expect(delayOf(one)).toBe(0);
  });

  test('has each email of a batch, which delays those after it', () => {
    const delayOf = createSendingPace(() => 0);
    expect([delayOf({ ...one, emails: 60 }), delayOf(one)]).toEqual([0, 2_500]);
  });

  test('rises with the limit, and is not below twenty a second', () => {
    const last = (minuteLimit: number): number => {
      const delayOf = createSendingPace(() => 0);
      return Array.from({ length: 30 }, () => delayOf({ ...one, minuteLimit })).at(-1) ?? 0;
    };
    expect([0, 1, 600, 6_000, 60_000].map(last)).toEqual([950, 950, 950, 95, 9.5]);
  });

  test('delays five seconds at most, however many there are', () => {
    const delayOf = createSendingPace(() => 0);
    const delays = Array.from({ length: 10_000 }, () => delayOf(one));
    expect(Math.max(...delays)).toBe(5_000);
  });
});

import { describe, expect, test } from 'vitest';
import { createSendingPace } from '../../../src/email-service/http/sending-pace.ts';

const acme = { accountId: 'acc_1', minuteLimit: 600 };
const DELAY_MAX_MS = 5_000;

describe('the pace of what an account sends', () => {
  test('is five requests at once, and then what it may send in a minute, evenly', () => {
    let now = 0;
    const pace = createSendingPace(DELAY_MAX_MS, () => now);
    const delays = Array.from({ length: 8 }, () => pace.take(acme));
    expect([delays.slice(0, 5).every((delay) => delay === 0), delays.slice(5, 7)]).toEqual([true, [100, 200]]);
    expect(pace.take({ ...acme, accountId: 'acc_2' })).toBe(0);
    now = 10_000;
    expect(pace.take(acme)).toBe(0);
  });

  test('has each email of a request, which delays the requests after it, but none too long', () => {
    const pace = createSendingPace(DELAY_MAX_MS, () => 0);
    pace.take(acme);
    pace.add(acme, 20);
    expect(pace.take(acme)).toBe(1_700);
    pace.add(acme, 1_000);
    expect([pace.take(acme), pace.take(acme)]).toEqual([2_500, 2_600]);
    const other = { ...acme, accountId: 'acc_2' };
    pace.add(other, 1_000);
    expect(pace.take(other)).toBe(DELAY_MAX_MS / 2);
  });

  test('rises with the limit, and is not below ten a second', () => {
    const last = (minuteLimit: number) => {
      const pace = createSendingPace(DELAY_MAX_MS, () => 0);
      return Array.from({ length: 25 }, () => pace.take({ ...acme, minuteLimit })).at(-1);
    };
    expect([0, 1, 600, 6_000, 60_000].map(last)).toEqual([2_000, 2_000, 2_000, 200, 20]);
  });

  test('gives no turn that is later than five seconds, and keeps none for whom it gave none', () => {
    let now = 0;
    const pace = createSendingPace(DELAY_MAX_MS, () => now);
    const delays = Array.from({ length: 10_000 }, () => pace.take(acme));
    const given = delays.filter((delay) => delay !== undefined);
    expect([given.length, Math.max(...given)]).toEqual([55, DELAY_MAX_MS]);
    now = 1_000;
    expect(Array.from({ length: 100 }, () => pace.take(acme)).filter((delay) => delay !== undefined)).toHaveLength(10);
  });

  test('is not slowed by callers that hang up before their turn', () => {
    const pace = createSendingPace(DELAY_MAX_MS, () => 0);
    for (let number = 0; number < 50; number++) pace.take(acme);
    for (let number = 0; number < 46; number++) pace.giveBack(acme);
    expect(pace.take(acme)).toBe(0);
  });
});

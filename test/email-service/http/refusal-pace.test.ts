import { describe, expect, test } from 'vitest';
import { createRefusalPace } from '../../../src/email-service/http/refusal-pace.ts';

describe('the refusals of one account', () => {
  test('are answered at once for twenty of them, and then twenty in a second', () => {
    let now = 0;
    const delayOf = createRefusalPace(() => now);
    const delays = Array.from({ length: 23 }, () => delayOf('acc_1'));
    expect([delays.slice(0, 21).every((delay) => delay === 0), delays.slice(21)]).toEqual([true, [50, 100]]);
    expect(delayOf('acc_2')).toBe(0);
    now = 10_000;
    expect(delayOf('acc_1')).toBe(0);
  });

  test('wait five seconds at most, however many there are', () => {
    const delayOf = createRefusalPace(() => 0);
    const delays = Array.from({ length: 10_000 }, () => delayOf('acc_1'));
    expect(Math.max(...delays)).toBe(5_000);
  });
});

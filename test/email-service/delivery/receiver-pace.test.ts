import { beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryResult } from '../../../src/email-service/delivery/deliver-message.ts';
import { createReceiverPace, type ReceiverPace } from '../../../src/email-service/delivery/receiver-pace.ts';
import { accepted } from '../support/deliver-over-smtp.ts';

const DOMAIN = 'inbox.test';
const deferred = (replyCode: number, enhancedCode?: string): DeliveryResult => ({
  ...{ kind: 'deferred', remoteMta: 'mx.inbox.test', diagnostic: 'later' },
  reply: { replyCode, enhancedCode, text: 'later' },
});

let time: number;
let pace: ReceiverPace;
beforeEach(() => {
  time = 1_000_000;
  pace = createReceiverPace(() => time);
});

/** @returns how many attempts could begin at this time */
function beginAll(domain = DOMAIN): number {
  for (let begun = 0; ; begun += 1) if (pace.begin(domain) !== undefined) return begun;
}
/** Begins an attempt as soon as it can, to the second, and ends it. @returns how long that took */
function next(result: DeliveryResult): number {
  const from = time;
  for (; pace.begin(DOMAIN) !== undefined; time += 1_000);
  pace.end(DOMAIN, result);
  return time - from;
}

describe('a receiving domain', () => {
  test('gets 50 connections of a process, whatever another one has', () => {
    expect([beginAll(), beginAll('other.test')]).toEqual([50, 50]);
    expect(pace.begin(DOMAIN)).toEqual({ retryInMs: 5_000 });
    pace.end(DOMAIN, accepted);
    expect(beginAll()).toBe(1);
  });

  test.each([deferred(421), deferred(450, '4.7.1'), deferred(421, '4.3.2')])(
    'gets fewer connections, and those more slowly, after %o',
    (result) => {
      beginAll();
      pace.end(DOMAIN, result);
      expect(beginAll()).toBe(0);
      for (let n = 0; n < 24; n += 1) pace.end(DOMAIN, undefined);
      time += 1_000;
      // 25 are under way, which is now the most.
      expect(beginAll()).toBe(0);
      pace.end(DOMAIN, undefined);
      expect(beginAll()).toBe(1);
    },
  );

  test('waits twice as long after each of them, at most ten seconds', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map(() => next(deferred(421)));
    expect(waits).toEqual([0, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test('recovers with what it accepts', () => {
    next(deferred(421));
    next(deferred(421));
    expect([1, 2, 3, 4].map(() => next(accepted))).toEqual([2_000, 2_000, 1_000, 0]);
    for (let n = 0; n < 60; n += 1) next(accepted);
    expect(beginAll()).toBe(50);
  });

  test('is as any other after ten minutes', () => {
    for (let n = 0; n < 5; n += 1) next(deferred(421));
    time += 10 * 60_000;
    expect(beginAll()).toBe(50);
  });

  test.each([deferred(450, '4.2.1'), deferred(451), accepted])('is not slowed down by %o', (result) => {
    next(result);
    expect(beginAll()).toBe(50);
  });
});

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createWakeUps, type WakeUps } from '../../../src/client/onboarding/wake-ups.ts';

let signals: { tenantId: string; eventId: string; at: number }[];
/** Undefined: Temporal takes the Signal at once. */
let temporal: (() => Promise<boolean>) | undefined;
let wakeUps: WakeUps;
const START = Date.parse('2026-01-01T00:00:00Z');

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  signals = [];
  temporal = undefined;
  wakeUps = createWakeUps(async (tenantId, { eventId }) => {
    signals.push({ tenantId, eventId, at: (Date.now() - START) / 1_000 });
    return temporal === undefined ? true : temporal();
  });
});
afterEach(async () => {
  temporal = undefined;
  await wakeUps.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const receive = (eventId: string, tenantId = 'acme') => wakeUps.receive(tenantId, { eventId, type: 'domain.verified' });
const ids = () => signals.map(({ eventId }) => eventId);
const seconds = () => signals.map(({ at }) => at);
const unavailable = async (): Promise<never> => {
  throw new Error('14 UNAVAILABLE');
};

describe('merging', () => {
  test('sends the first wake-up at once and the last one of the next five seconds at their end', async () => {
    for (const eventId of ['evt_1', 'evt_2', 'evt_3']) expect(await receive(eventId)).toBe(true);
    expect(ids()).toEqual(['evt_1']);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(ids()).toEqual(['evt_1']);
    await vi.advanceTimersByTimeAsync(1);
    expect(ids()).toEqual(['evt_1', 'evt_3']);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(ids()).toEqual(['evt_1', 'evt_3']);
  });

  test('ignores a repeated webhook, whether it was sent or merged', async () => {
    for (const eventId of ['evt_1', 'evt_2', 'evt_1', 'evt_2']) await receive(eventId);
    await vi.advanceTimersByTimeAsync(60_000);
    for (const eventId of ['evt_1', 'evt_2']) expect(await receive(eventId)).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ids()).toEqual(['evt_1', 'evt_2']);
  });

  test('sends a storm of an hour at growing intervals, and is prompt again after a quiet day', async () => {
    for (let second = 0; second < 3_600; second++) {
      await receive(`evt_${second}`);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(seconds()).toEqual([0, 5, 10, 15, 20, 25, 35, 55, 95, 175, 335, 655, 1_295, 2_575]);
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    signals = [];
    await receive('evt_a');
    await receive('evt_b');
    expect(ids()).toEqual(['evt_a']);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ids()).toEqual(['evt_a', 'evt_b']);
  });

  test('does not delay one tenant because of the storm of another', async () => {
    for (let index = 0; index < 100; index++) await receive(`evt_${index}`);
    await receive('evt_1', 'other');
    expect(signals.map(({ tenantId }) => tenantId)).toEqual(['acme', 'other']);
    await vi.advanceTimersByTimeAsync(5_000);
  });
});

describe('failures', () => {
  test('rejects while Temporal is unavailable, and sends the same webhook when it is posted again', async () => {
    temporal = unavailable;
    await expect(receive('evt_1')).rejects.toThrow('UNAVAILABLE');
    temporal = undefined;
    expect(await receive('evt_1')).toBe(true);
    expect(ids()).toEqual(['evt_1', 'evt_1']);
  });

  test('answers two concurrent posts of one webhook alike, also with a failure', async () => {
    let fail: (error: Error) => void = () => undefined;
    temporal = () => new Promise<boolean>((_resolve, reject) => (fail = reject));
    const both = Promise.allSettled([receive('evt_1'), receive('evt_1')]);
    fail(new Error('14 UNAVAILABLE'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(ids()).toEqual(['evt_1']);
  });

  test('sends a merged wake-up an interval later if Temporal was unavailable', async () => {
    await receive('evt_1');
    await receive('evt_2');
    temporal = unavailable;
    await vi.advanceTimersByTimeAsync(5_000);
    temporal = undefined;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(signals).toEqual([
      { tenantId: 'acme', eventId: 'evt_1', at: 0 },
      { tenantId: 'acme', eventId: 'evt_2', at: 5 },
      { tenantId: 'acme', eventId: 'evt_2', at: 10 },
    ]);
  });

  test('tries a merged wake-up every five seconds of an outage, and is as prompt after it', async () => {
    await receive('evt_1');
    await receive('evt_2');
    temporal = unavailable;
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(ids().filter((eventId) => eventId === 'evt_2')).toHaveLength(720);
    temporal = undefined;
    signals = [];
    await vi.advanceTimersByTimeAsync(5_000);
    for (const eventId of ['evt_3', 'evt_4', 'evt_5']) {
      await receive(eventId);
      await vi.advanceTimersByTimeAsync(5_000);
    }
    const first = signals[0]?.at ?? 0;
    expect(signals.map(({ eventId, at }) => [eventId, at - first])).toEqual([
      ['evt_2', 0],
      ['evt_3', 5],
      ['evt_4', 10],
      ['evt_5', 15],
    ]);
  });

  test('does not lengthen the interval because of Signals that time out for an hour', async () => {
    const timedOut = new Error('4 DEADLINE_EXCEEDED');
    temporal = () => new Promise((_resolve, reject) => setTimeout(reject, 12_000, timedOut));
    const answers: Promise<unknown>[] = [];
    for (let index = 0; index < 500; index++) {
      for (const eventId of [`evt_${index}`, `evt_${index}_b`]) {
        answers.push(receive(eventId).catch((error: unknown) => error));
      }
      await vi.advanceTimersByTimeAsync(7_000);
    }
    await vi.advanceTimersByTimeAsync(12_000);
    expect(new Set(await Promise.all(answers))).toEqual(new Set([true, timedOut]));
    temporal = undefined;
    await vi.advanceTimersByTimeAsync(60_000);
    signals = [];
    for (const eventId of ['evt_a', 'evt_b', 'evt_c']) {
      await receive(eventId);
      await vi.advanceTimersByTimeAsync(5_000);
    }
    const first = signals[0]?.at ?? 0;
    expect(seconds().map((at) => at - first)).toEqual([0, 5, 10]);
  });

  test('returns false for every webhook of an onboarding that has ended', async () => {
    temporal = async () => false;
    expect(await receive('evt_1')).toBe(false);
    expect(await receive('evt_1')).toBe(false);
    expect(await receive('evt_2')).toBe(false);
  });

  test('returns false at once after a merged Signal found that the onboarding has ended', async () => {
    await receive('evt_1');
    await receive('evt_2');
    temporal = async () => false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await receive('evt_3')).toBe(false);
  });

  test('sends what is pending once when it closes, and leaves no Timer behind', async () => {
    await receive('evt_1');
    await receive('evt_2');
    await wakeUps.close();
    expect(ids()).toEqual(['evt_1', 'evt_2']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ids()).toEqual(['evt_1', 'evt_2']);
  });

  test('waits on close for a merged Signal in flight and does not send it again', async () => {
    await receive('evt_1');
    await receive('evt_2');
    let arrive: (taken: boolean) => void = () => undefined;
    temporal = () => new Promise((resolve) => (arrive = resolve));
    await vi.advanceTimersByTimeAsync(5_000);
    let isClosed = false;
    const closing = wakeUps.close().then(() => (isClosed = true));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isClosed).toBe(false);
    arrive(true);
    await closing;
    expect(ids()).toEqual(['evt_1', 'evt_2']);
  });

  test('does not send a second Signal while one is in flight', async () => {
    let arrive: (taken: boolean) => void = () => undefined;
    temporal = () => new Promise((resolve) => (arrive = resolve));
    const first = receive('evt_1');
    for (const eventId of ['evt_2', 'evt_3']) expect(await receive(eventId)).toBe(true);
    await vi.advanceTimersByTimeAsync(7_000);
    expect(ids()).toEqual(['evt_1']);
    temporal = undefined;
    arrive(true);
    expect(await first).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ids()).toEqual(['evt_1', 'evt_3']);
  });

  test('closes while Temporal is unavailable', async () => {
    await receive('evt_1');
    await receive('evt_2');
    temporal = unavailable;
    await wakeUps.close();
    expect(ids()).toEqual(['evt_1', 'evt_2']);
  });
});

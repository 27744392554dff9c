import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createHints, type Hints } from '../../src/client/notifications.ts';

let poked: { tenantId: string; eventId: string; at: number }[];
/** Undefined: Temporal takes the Signal at once. */
let temporal: (() => Promise<boolean>) | undefined;
let hints: Hints;
const START = Date.parse('2026-01-01T00:00:00Z');

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  poked = [];
  temporal = undefined;
  hints = createHints(async (tenantId, { eventId }) => {
    poked.push({ tenantId, eventId, at: (Date.now() - START) / 1_000 });
    return temporal === undefined ? true : temporal();
  });
});
afterEach(async () => {
  temporal = undefined;
  await hints.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const receive = (eventId: string, tenantId = 'acme') => hints.receive(tenantId, { eventId, type: 'domain.verified' });
const ids = () => poked.map(({ eventId }) => eventId);
const seconds = () => poked.map(({ at }) => at);
const temporalIsAway = async (): Promise<never> => {
  throw new Error('14 UNAVAILABLE');
};

describe('what becomes a Signal', () => {
  test('the first hint is sent at once, and those of the next five seconds as one, the last, at their end', async () => {
    for (const eventId of ['evt_1', 'evt_2', 'evt_3']) expect(await receive(eventId)).toBe(true);
    expect(ids()).toEqual(['evt_1']);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(ids()).toEqual(['evt_1']);
    await vi.advanceTimersByTimeAsync(1);
    expect(ids()).toEqual(['evt_1', 'evt_3']);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(ids()).toEqual(['evt_1', 'evt_3']);
  });

  test('a webhook that comes again is not sent again, whether it was sent or merged', async () => {
    for (const eventId of ['evt_1', 'evt_2', 'evt_1', 'evt_2']) await receive(eventId);
    await vi.advanceTimersByTimeAsync(60_000);
    for (const eventId of ['evt_1', 'evt_2']) expect(await receive(eventId)).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ids()).toEqual(['evt_1', 'evt_2']);
  });

  test('a storm of an hour is sent at growing distances, and after a quiet day hints are prompt again', async () => {
    for (let second = 0; second < 3_600; second++) {
      await receive(`evt_${second}`);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(seconds()).toEqual([0, 5, 10, 15, 20, 25, 35, 55, 95, 175, 335, 655, 1_295, 2_575]);
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    poked = [];
    await receive('evt_a');
    await receive('evt_b');
    expect(ids()).toEqual(['evt_a']);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(ids()).toEqual(['evt_a', 'evt_b']);
  });

  test('a storm of one tenant does not delay the hints of another', async () => {
    for (let index = 0; index < 100; index++) await receive(`evt_${index}`);
    await receive('evt_1', 'other');
    expect(poked.map(({ tenantId }) => tenantId)).toEqual(['acme', 'other']);
    await vi.advanceTimersByTimeAsync(5_000);
  });
});

describe('what goes wrong', () => {
  test('Temporal away: the sender is told, and the same webhook is sent when it comes again', async () => {
    temporal = temporalIsAway;
    await expect(receive('evt_1')).rejects.toThrow('UNAVAILABLE');
    temporal = undefined;
    expect(await receive('evt_1')).toBe(true);
    expect(ids()).toEqual(['evt_1', 'evt_1']);
  });

  test('the same webhook twice at once gets the answer of the first, also when that is a failure', async () => {
    let fail: (error: Error) => void = () => undefined;
    temporal = () => new Promise<boolean>((_resolve, reject) => (fail = reject));
    const both = Promise.allSettled([receive('evt_1'), receive('evt_1')]);
    fail(new Error('14 UNAVAILABLE'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(ids()).toEqual(['evt_1']);
  });

  test('Temporal away at the end of an interval: the merged hint is sent at the end of another', async () => {
    await receive('evt_1');
    await receive('evt_2');
    temporal = temporalIsAway;
    await vi.advanceTimersByTimeAsync(5_000);
    temporal = undefined;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(poked).toEqual([
      { tenantId: 'acme', eventId: 'evt_1', at: 0 },
      { tenantId: 'acme', eventId: 'evt_2', at: 5 },
      { tenantId: 'acme', eventId: 'evt_2', at: 10 },
    ]);
  });

  test('Temporal away for an hour: the merged hint is tried every five seconds, and hints are as prompt after it', async () => {
    await receive('evt_1');
    await receive('evt_2');
    temporal = temporalIsAway;
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(ids().filter((eventId) => eventId === 'evt_2')).toHaveLength(720);
    temporal = undefined;
    poked = [];
    await vi.advanceTimersByTimeAsync(5_000);
    for (const eventId of ['evt_3', 'evt_4', 'evt_5']) {
      await receive(eventId);
      await vi.advanceTimersByTimeAsync(5_000);
    }
    const first = poked[0]?.at ?? 0;
    expect(poked.map(({ eventId, at }) => [eventId, at - first])).toEqual([
      ['evt_2', 0],
      ['evt_3', 5],
      ['evt_4', 10],
      ['evt_5', 15],
    ]);
  });

  test('Temporal silent for an hour: Signals that wait for their time-out side by side do not raise the pace either', async () => {
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
    poked = [];
    for (const eventId of ['evt_a', 'evt_b', 'evt_c']) {
      await receive(eventId);
      await vi.advanceTimersByTimeAsync(5_000);
    }
    const first = poked[0]?.at ?? 0;
    expect(seconds().map((at) => at - first)).toEqual([0, 5, 10]);
  });

  test('the onboarding over: every webhook that would be sent is told so', async () => {
    temporal = async () => false;
    expect(await receive('evt_1')).toBe(false);
    expect(await receive('evt_1')).toBe(false);
    expect(await receive('evt_2')).toBe(false);
  });

  test('the onboarding over at the end of an interval: the next webhook is told so at once', async () => {
    await receive('evt_1');
    await receive('evt_2');
    temporal = async () => false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await receive('evt_3')).toBe(false);
  });

  test('closing sends what waits, once, and leaves no Timer behind', async () => {
    await receive('evt_1');
    await receive('evt_2');
    await hints.close();
    expect(ids()).toEqual(['evt_1', 'evt_2']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ids()).toEqual(['evt_1', 'evt_2']);
  });

  test('closing waits for a merged Signal that is under way, and does not send it again', async () => {
    await receive('evt_1');
    await receive('evt_2');
    let arrive: (taken: boolean) => void = () => undefined;
    temporal = () => new Promise((resolve) => (arrive = resolve));
    await vi.advanceTimersByTimeAsync(5_000);
    let isClosed = false;
    const closing = hints.close().then(() => (isClosed = true));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isClosed).toBe(false);
    arrive(true);
    await closing;
    expect(ids()).toEqual(['evt_1', 'evt_2']);
  });

  test('closing while Temporal is away ends all the same', async () => {
    await receive('evt_1');
    await receive('evt_2');
    temporal = temporalIsAway;
    await hints.close();
    expect(ids()).toEqual(['evt_1', 'evt_2']);
  });
});

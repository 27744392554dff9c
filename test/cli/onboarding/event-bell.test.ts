import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { createEventBell } from '../../../src/cli/onboarding/event-bell.ts';

const { signal } = new AbortController();

test('a wait leaves no listener on its signal', async () => {
  let send: (event: string) => void = () => undefined;
  const events = (async function* () {
    for (;;) yield await new Promise<string>((resolve) => (send = resolve));
  })();
  const untilRung = createEventBell(events);
  for (let count = 0; count < 3; count++) {
    const wait = untilRung(signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    send('event');
    await wait;
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('rings for an event that came before the wait', async () => {
  const untilRung = createEventBell(
    (async function* () {
      yield 1;
      await new Promise(() => undefined);
    })(),
  );
  await new Promise((resolve) => setImmediate(resolve));
  await untilRung(signal);
});

test.each([
  ['15 seconds while events may come', () => new Promise<never>(() => undefined), 15_000],
  ['2 seconds without events', () => Promise.reject(new Error('404')), 2_000],
])('rings after %s', async (_when, next, ms) => {
  vi.useFakeTimers();
  try {
    const untilRung = createEventBell({ [Symbol.asyncIterator]: () => ({ next }) });
    await vi.advanceTimersByTimeAsync(0);
    if (ms === 2_000) await untilRung(signal);
    let hasRung = false;
    void untilRung(signal).then(() => (hasRung = true));
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(hasRung).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(hasRung).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { createEventBell } from '../../../src/cli/onboarding/event-bell.ts';

test('a wait leaves no listener on its signal', async () => {
  let send: (event: string) => void = () => undefined;
  const events = (async function* () {
    for (;;) yield await new Promise<string>((resolve) => (send = resolve));
  })();
  const untilRung = createEventBell(events);
  const { signal } = new AbortController();
  for (let count = 0; count < 3; count++) {
    const wait = untilRung(signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    send('event');
    await wait;
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

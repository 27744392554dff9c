import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const TIMEOUT_MS = 1_000;

test('a timeout fires despite garbage collection while a client waits', async () => {
  const child = fork(new URL('./collected-timers.ts', import.meta.url), [String(TIMEOUT_MS)], {
    execArgv: ['--expose-gc', '--import', 'tsx'],
  });
  const [ends] = (await once(child, 'message')) as [{ client: string; end: unknown; afterMs: number }[]];
  await once(child, 'exit');
  expect(ends).toMatchObject([
    { client: 'fetchPlace', end: 'github.com: no complete response in time' },
    // The second on a machine so busy that the answer had not begun.
    {
      client: 'sendOutcomeChange',
      end: expect.stringMatching(/the response is incomplete|no answer within 1 seconds/),
    },
    { client: 'postWebhook', end: { kind: 'unanswered', reason: 'no answer within 1 seconds' } },
  ]);
}, 60_000);

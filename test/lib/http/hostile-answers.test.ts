// What a receiver of webhooks, or a provider, can send instead of an answer. Each attempt ends within its limit; meanwhile the others of the
// process go on, and its memory stays as it is.
import type { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exchange, newAgent } from '../../../src/email-provider/http-exchange.ts';
import { createWebhookClient, type WebhookClient } from '../../../src/lib/webhooks/webhook-client.ts';
import { type HostileReceiver, hostileWays, startHostileReceiver } from '../../support/hostile-receiver.ts';

const TIMEOUT_MS = 15_000;
/** An endless answer is over once it is too large, long before the time of the attempt. */
const FLOOD_MS_MAX = TIMEOUT_MS - 1_000;
const MEMORY_BYTES_MAX = 100_000_000;
/** Each in turn; on a machine that is busy otherwise too. */
const OTHERS_MS_MAX = 5_000;

let far: HostileReceiver;
let webhooks: WebhookClient;
let agent: Agent;
beforeAll(async () => {
  far = await startHostileReceiver();
  webhooks = createWebhookClient({
    ...{ allowHttp: true, mayConnectTo: () => true, now: () => new Date(), timeoutMs: TIMEOUT_MS },
  });
  agent = newAgent();
});
afterAll(async () => {
  await webhooks.close();
  await agent.destroy();
  await far.stop();
});

/** What its caller sees of it. */
const clients: Readonly<Record<string, (url: string) => Promise<string>>> = {
  'a webhook or notification': async (url) => {
    const outcome = await webhooks.post(url, {}, '{}');
    return outcome.kind === 'answered' ? String(outcome.statusCode) : outcome.reason;
  },
  'a call of the provider': (url) =>
    exchange('POST /x', {
      ...{ agent, url, method: 'POST', headers: {}, credential: undefined, body: {}, urlSetting: 'X' },
      timeoutMs: TIMEOUT_MS,
    }).then(
      ({ httpStatus }) => String(httpStatus),
      (error: unknown) => (error as Error).message,
    ),
};

describe.each(Object.entries(clients))('%s', (_name, call) => {
  test.each(hostileWays.filter((way) => !way.startsWith('trickled') && way !== 'silent'))(
    'that is answered with %s ends at once, and delays no other',
    async (way) => {
      const memory = process.memoryUsage().rss;
      let [slowestMs, peak] = [0, 0];
      const since = performance.now();
      const attempt = { isOver: false };
      // Several at once, as of several webhooks of one tenant.
      const attempts = Promise.all(Array.from({ length: 5 }, () => call(far.urlOf(way)))).finally(() => {
        attempt.isOver = true;
      });
      while (!attempt.isOver) {
        const before = performance.now();
        expect(await call(far.urlOf('good'))).toBe('200');
        slowestMs = Math.max(slowestMs, performance.now() - before);
        peak = Math.max(peak, process.memoryUsage().rss);
      }
      const tookMs = performance.now() - since;
      expect(new Set(await attempts).size).toBe(1);
      expect({ way, tookMs, isInTime: tookMs < FLOOD_MS_MAX }).toMatchObject({ isInTime: true });
      expect({ way, slowestMs, isInTime: slowestMs < OTHERS_MS_MAX }).toMatchObject({ isInTime: true });
      expect({ way, grown: peak - memory, isSmall: peak - memory < MEMORY_BYTES_MAX }).toMatchObject({ isSmall: true });
    },
  );

  test('that is answered a byte at a time, or not at all, ends when its time is over', async () => {
    const slow = hostileWays.filter((way) => way.startsWith('trickled') || way === 'silent');
    const since = performance.now();
    const outcomes = await Promise.all(slow.map((way) => call(far.urlOf(way))));
    const tookMs = performance.now() - since;
    expect(outcomes.filter((outcome) => outcome === '200')).toEqual([]);
    expect({ tookMs, isInTime: tookMs > TIMEOUT_MS - 100 && tookMs < TIMEOUT_MS + 2_000 }).toMatchObject({
      isInTime: true,
    });
  });
});

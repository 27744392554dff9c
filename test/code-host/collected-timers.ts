// Run with --expose-gc as a process of its own: asks hosts that never end their answer, collects garbage all the while, and
// sends what each client said and after how many milliseconds.
import { MockActivityEnvironment } from '@temporalio/testing';
import { randomBytes } from 'node:crypto';
import { announcementActivities } from '../../src/activities/agents-md/send-outcome-change.ts';
import type { OutcomeChange } from '../../src/agents-md/outcome-change.ts';
import { serveOnLoopback } from '../../src/dev/serve-on-loopback.ts';
import { drip } from '../support/http-listeners.ts';
import { fetcherOf, firstLook } from '../support/place-fetcher.ts';
import { loopbackWebhookClient } from '../support/test-receiver.ts';

const [timeoutMs = 0] = process.argv.slice(2).map(Number);

let arrived = 0;
const { url: base } = await serveOnLoopback((request, response) => {
  // Once the body has arrived: undici tells apart a request that is still being sent.
  request.resume().on('end', () => {
    arrived += 1;
    if (request.url === '/silent') return;
    drip(request, response);
  });
});

const fetcher = fetcherOf({ web: base, raw: base, api: base }, { timeoutMs });
const webhooks = loopbackWebhookClient(timeoutMs);
const announcements = announcementActivities({
  changeReceiver: { url: `${base}/dripping`, signingSecrets: [`whsec_${randomBytes(32).toString('base64')}`] },
  webhookClient: webhooks,
});

const clients: Readonly<Record<string, () => Promise<unknown>>> = {
  fetchPlace: () => fetcher.fetchPlace(firstLook(), new AbortController().signal),
  sendOutcomeChange: () =>
    new MockActivityEnvironment().run(
      (question: Parameters<typeof announcements.sendOutcomeChange>[0]) => announcements.sendOutcomeChange(question),
      { eventId: 'e', change: {} as OutcomeChange },
    ),
  postWebhook: () => webhooks.post(`${base}/silent`, {}, '{}'),
};

// Before every client waits, it would only keep the host from answering in time.
const collector = setInterval(() => {
  if (arrived >= Object.keys(clients).length) (globalThis as { gc?: () => void }).gc?.();
}, 50);
const ends = await Promise.all(
  Object.entries(clients).map(async ([client, ask]) => {
    const startedMs = performance.now();
    const end = await Promise.race([
      ask().catch((error: unknown) => (error instanceof Error ? error.message : String(error))),
      new Promise((resolve) => setTimeout(resolve, 10 * timeoutMs, 'still waiting')),
    ]);
    return { client, end, afterMs: performance.now() - startedMs };
  }),
);
clearInterval(collector);
process.send?.(ends, () => process.exit(0));

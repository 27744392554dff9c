import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { serveOnLoopback } from '../../../src/dev/serve-on-loopback.ts';
import { createAccountBook } from './account-book.ts';
import { answerCall } from './answer-call.ts';
import type { CallOutcome } from './call-effect.ts';
import { createCallRelay, type RecordedCall } from './call-relay.ts';
import { type Call, exchange, pathOf } from './exchange.ts';
import type { Fault, Hold } from './fault.ts';
import { createFaultScript } from './fault-script.ts';
import { createWebhookReceivers, RECEIVERS_PATH } from './webhook-receivers.ts';
import { createWebhookRelay, type RecordedWebhook } from './webhook-relay.ts';

export interface FaultProxy {
  readonly url: string;
  /** Oldest first. */
  calls(): readonly RecordedCall[];
  /** Oldest first. */
  webhooks(): readonly RecordedWebhook[];
  /** Appends a fault to the script. */
  add(fault: Fault): void;
  /** Closes open connections and drops held calls. Rejects if a function of the script threw. */
  stop(): Promise<void>;
}

export interface FaultProxyOptions {
  /** URL of the real email service. */
  readonly target: string;
  /** @default everything passes */
  readonly script?: readonly Fault[];
}

/**
 * A proxy in front of the email service, on loopback, that injects network faults into chosen calls and webhooks. All other
 * traffic passes unchanged, except that webhook URLs are rewritten to pass through the proxy.
 */
export async function startFaultProxy({ target, script: faults = [] }: FaultProxyOptions): Promise<FaultProxy> {
  const ending = new AbortController();
  const { signal } = ending;
  // One for each exchange under way: many are no leak.
  setMaxListeners(0, signal);
  const dispatcher = new Agent();
  const through = { dispatcher, signal };
  const defects: unknown[] = [];
  const watch = (work: Promise<void>): void => {
    work.catch((error: unknown) => {
      if (!signal.aborted) defects.push(error);
    });
  };
  const over = (hold: Hold): Promise<unknown> =>
    hold.kind === 'time' ? sleep(hold.ms, undefined, { signal }) : hold.promise;

  const server = await serveOnLoopback((request, response) => {
    watch(answerCall(request, response, take));
  });
  const { url } = server;
  const script = createFaultScript(faults);
  const receivers = createWebhookReceivers(url);
  const callRelay = createCallRelay({
    script,
    accounts: createAccountBook(),
    receivers,
    forward: (call) => exchange(new URL(target).origin, call, through),
    over,
  });
  const webhookRelay = createWebhookRelay({
    faultOf: (webhook) => script.forWebhook(webhook),
    post: (call, receiver) => {
      const { origin, pathname, search } = new URL(receiver);
      return exchange(origin, { ...call, url: pathname + search }, through);
    },
    over,
    later: watch,
    now: () => new Date(),
  });
  const take = async (call: Call): Promise<CallOutcome> => {
    if (!call.url.startsWith(RECEIVERS_PATH)) return callRelay.take(call);
    const receiver = receivers.at(pathOf(call.url));
    return receiver === undefined ? NOBODY : webhookRelay.take(call, receiver);
  };

  return {
    url,
    calls: () => callRelay.calls(),
    webhooks: () => webhookRelay.webhooks(),
    add: (fault) => {
      script.add(fault);
    },
    async stop() {
      ending.abort();
      await server.stop();
      await dispatcher.destroy();
      if (defects.length > 0) throw new AggregateError(defects, 'A function of the fault script threw');
    },
  };
}

const NOBODY: CallOutcome = { status: 404, headers: {}, body: Buffer.alloc(0) };

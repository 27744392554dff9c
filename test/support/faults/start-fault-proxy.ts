import { type RelayedExchange, type RelayOutcome, startRelay } from '../../../src/dev/relay.ts';
import { createCallRelay, type RecordedCall } from './call-relay.ts';
import type { Fault } from './fault.ts';
import { createFaultScript } from './fault-script.ts';
import { withoutQuery } from './read-json.ts';
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
  const relay = await startRelay(new URL(target).origin);
  const defects: unknown[] = [];
  const later = (work: Promise<unknown>): void => {
    work.catch((error: unknown) => defects.push(error));
  };

  const script = createFaultScript(faults);
  const receivers = createWebhookReceivers(relay.url);
  const { forward } = relay;
  const callRelay = createCallRelay({ script, receivers, forward: (call) => forward(call) });
  const webhookRelay = createWebhookRelay({ script, forward, later });

  async function take(call: RelayedExchange): Promise<RelayOutcome> {
    if (!call.path.startsWith(RECEIVERS_PATH)) return callRelay.take(call);
    const receiver = receivers.at(withoutQuery(call.path));
    return receiver === undefined ? { status: 404, body: '' } : webhookRelay.take(call, receiver);
  }
  relay.fault = async (call) => {
    const taken = take(call);
    later(taken);
    return { when: 'before', answer: await taken };
  };

  return {
    url: relay.url,
    calls: () => callRelay.calls(),
    webhooks: () => webhookRelay.webhooks(),
    add: (fault) => {
      script.add(fault);
    },
    async stop() {
      await relay.stop();
      if (defects.length > 0) throw new AggregateError(defects, 'A function of the fault script threw');
    },
  };
}

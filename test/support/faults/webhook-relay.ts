import type { RelayedExchange, RelayReply } from '../../../src/dev/relay.ts';
import { signWebhook } from '../../../src/lib/webhooks/sign-webhook.ts';
import { type Delivery, type Hold, type NextWebhook, over, type WebhookChange } from './fault.ts';
import type { FaultScript } from './fault-script.ts';
import { readJson } from './read-json.ts';
import type { WebhookReceiver } from './webhook-receivers.ts';

/** What became of one webhook of the email service. Holds nothing of its body or signature. */
export interface RecordedWebhook {
  readonly account: string | undefined;
  /** As in `email.delivered`. */
  readonly event: string;
  readonly eventId: string;
  /** What was posted to the receiver so far, oldest first; `status` null: no answer. */
  readonly deliveries: readonly { readonly change: WebhookChange['kind'] | 'none'; readonly status: number | null }[];
}

export interface WebhookRelay {
  /**
   * Resolves with what the email service gets to see: the answer to its own post, or 204 when that has to wait or is
   * dropped. `reset`: the receiver gives none.
   */
  take(call: RelayedExchange, receiver: WebhookReceiver): Promise<Reply>;
  webhooks(): readonly RecordedWebhook[];
}

export interface WebhookRelayParts {
  readonly script: Pick<FaultScript, 'forWebhook'>;
  readonly forward: (call: RelayedExchange, origin: string) => Promise<Reply>;
  /** Runs work that continues after the response to the email service, and records its failure. */
  readonly later: (work: Promise<unknown>) => void;
}

type Reply = RelayReply | 'reset';

/** Posts each webhook, as the script changes it, to its receiver. */
export function createWebhookRelay({ script, forward, later }: WebhookRelayParts): WebhookRelay {
  const recorded: Recording[] = [];
  const held: { receiver: string; webhook: Recording; resolve: () => void }[] = [];

  async function deliver(webhook: Recording, delivery: Delivery): Promise<Reply> {
    const { call, receiver } = webhook;
    const { origin, pathname, search } = new URL(receiver.url);
    const answer = await forward({ ...changed(call, receiver, delivery.change), path: pathname + search }, origin);
    const status = answer === 'reset' ? null : answer.status;
    webhook.deliveries.push({ change: delivery.change?.kind ?? 'none', status });
    for (const waiting of [...held]) {
      if (waiting.receiver !== receiver.url || waiting.webhook === webhook) continue;
      held.splice(held.indexOf(waiting), 1);
      waiting.resolve();
    }
    return answer;
  }

  const overtaken = (webhook: Recording): Promise<void> =>
    new Promise((resolve) => {
      held.push({ receiver: webhook.receiver.url, webhook, resolve });
    });
  const mayGo = (webhook: Recording, after: Hold | NextWebhook): Promise<unknown> =>
    after.kind === 'nextWebhook' ? overtaken(webhook) : over(after);

  return {
    async take(call, receiver) {
      const event = String(readJson(call.requestBody)?.['type']);
      const { account } = receiver;
      const eventId = idOf(call);
      const webhook: Recording = { account, event, eventId, deliveries: [], call, receiver };
      recorded.push(webhook);
      let own: Reply | undefined;
      for (const delivery of script.forWebhook({ event, account })?.deliveries ?? [{}]) {
        const { after } = delivery;
        if (after !== undefined) {
          later(mayGo(webhook, after).then(() => deliver(webhook, delivery)));
          continue;
        }
        const answer = await deliver(webhook, delivery);
        if (delivery.change === undefined) own ??= answer;
      }
      return own ?? { status: 204, body: '' };
    },
    webhooks: () =>
      recorded.map(({ account, event, eventId, deliveries }) => ({
        account,
        event,
        eventId,
        deliveries: [...deliveries],
      })),
  };
}

interface Recording extends RecordedWebhook {
  readonly deliveries: RecordedWebhook['deliveries'][number][];
  readonly call: RelayedExchange;
  readonly receiver: WebhookReceiver;
}

const idOf = ({ requestHeaders }: RelayedExchange): string => String(requestHeaders['webhook-id'] ?? '');

function changed(call: RelayedExchange, receiver: WebhookReceiver, change: WebhookChange | undefined): RelayedExchange {
  if (change === undefined) return call;
  const { requestHeaders, requestBody: body } = call;
  if (change.kind === 'forged') return { ...call, requestBody: change.forge(body) };
  if (receiver.signingSecret === undefined) {
    throw new Error(`The signing secret of ${receiver.url} did not pass this proxy, so it cannot sign for it`);
  }
  const sentAt = new Date(Date.now() + change.aheadMs);
  const signed = signWebhook({ id: idOf(call), sentAt, body }, receiver.signingSecret);
  return { ...call, requestHeaders: { ...requestHeaders, ...signed } };
}

import { signWebhook } from '../../../src/lib/webhooks/sign-webhook.ts';
import { type Answer, type Call, headerOf, NoAnswer, readJson } from './exchange.ts';
import type { Delivery, Hold, NextWebhook, WebhookChange, WebhookFault } from './fault.ts';
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
   * dropped. Throws NoAnswer when the receiver gives none.
   */
  take(call: Call, receiver: WebhookReceiver): Promise<Answer>;
  webhooks(): readonly RecordedWebhook[];
}

export interface WebhookRelayParts {
  readonly faultOf: (webhook: { event: string; account: string | undefined }) => WebhookFault | undefined;
  /** Posts to the receiver; throws NoAnswer. */
  readonly post: (call: Call, url: string) => Promise<Answer>;
  readonly over: (hold: Hold) => Promise<unknown>;
  /** Runs work that continues after the response to the email service, and records its failure. */
  readonly later: (work: Promise<void>) => void;
  readonly now: () => Date;
}

const TAKEN: Answer = { status: 204, headers: {}, body: Buffer.alloc(0) };

/** Posts each webhook, as the script changes it, to its receiver. */
export function createWebhookRelay({ faultOf, post, over, later, now }: WebhookRelayParts): WebhookRelay {
  const recorded: Recording[] = [];
  const held: { receiver: string; webhook: Recording; resolve: () => void }[] = [];

  async function deliver(webhook: Recording, delivery: Delivery): Promise<Answer | undefined> {
    const { call, receiver } = webhook;
    const answer = await post(changed(call, receiver, delivery.change, now()), receiver.url).catch(() => undefined);
    webhook.deliveries.push({ change: delivery.change?.kind ?? 'none', status: answer?.status ?? null });
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
      const event = String(readJson(call.body)?.['type']);
      const { account } = receiver;
      const eventId = headerOf(call, 'webhook-id') ?? '';
      const webhook: Recording = { account, event, eventId, deliveries: [], call, receiver };
      recorded.push(webhook);
      let own: { answer: Answer | undefined } | undefined;
      for (const delivery of faultOf({ event, account })?.deliveries ?? [{}]) {
        const { after } = delivery;
        if (after !== undefined) {
          later(
            mayGo(webhook, after).then(async () => {
              await deliver(webhook, delivery);
            }),
          );
          continue;
        }
        const answer = await deliver(webhook, delivery);
        if (delivery.change === undefined) own ??= { answer };
      }
      if (own === undefined) return TAKEN;
      if (own.answer === undefined) throw new NoAnswer(`${receiver.url} did not answer`);
      return own.answer;
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
  readonly call: Call;
  readonly receiver: WebhookReceiver;
}

function changed(call: Call, receiver: WebhookReceiver, change: WebhookChange | undefined, now: Date): Call {
  if (change === undefined) return call;
  const body = call.body.toString('utf8');
  if (change.kind === 'forged') return { ...call, body: Buffer.from(change.forge(body), 'utf8') };
  if (receiver.signingSecret === undefined) {
    throw new Error(`The signing secret of ${receiver.url} did not pass this proxy, so it cannot sign for it`);
  }
  const id = headerOf(call, 'webhook-id') ?? '';
  const sentAt = new Date(now.getTime() + change.aheadMs);
  const signed = signWebhook({ id, sentAt, body }, receiver.signingSecret);
  const others = call.rawHeaders.filter(
    (_, index) => !((call.rawHeaders[index - (index % 2)] ?? '').toLowerCase() in signed),
  );
  return { ...call, rawHeaders: [...others, ...Object.entries(signed).flat()] };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { RelayReply } from '../../../src/dev/relay.ts';
import type { JsonObject } from '../../../src/lib/json-value.ts';

// fault     one thing that goes wrong between the orchestrator and the email service, and when
// call      a request of the orchestrator to the email service
// webhook   a signed post of the email service to a receiver
// delivery  one post that the receiver gets in place of a webhook

/** Which of the calls or webhooks that fit. A fault counts only those that no fault before it took. */
export type Occurrences = { readonly first: number } | { readonly only: number } | 'always';

export interface CallFault {
  readonly on: 'call';
  /** @default any */
  readonly method?: string;
  /** Without the query; a segment with a colon stands for any, as in `/domains/:id`. */
  readonly path: string;
  /** By name. Known from POST /api-keys: of the request itself, later of the key that it answered with. @default any */
  readonly account?: string;
  /** @default the first */
  readonly when?: Occurrences;
  readonly effect: CallEffect;
}

export type CallEffect =
  /** The email service never receives the call. */
  | { readonly kind: 'answer'; readonly answer: RelayReply }
  /** Holds back the request, or what the email service answered to it. */
  | { readonly kind: 'hold'; readonly what: 'request' | 'answer'; readonly until: Hold }
  /** Leaves the caller to its time-out; `worked`: the email service receives the call. */
  | { readonly kind: 'silence'; readonly worked: boolean }
  /** Resets the connection; with `worked`, after the email service has answered: the answer is lost. */
  | { readonly kind: 'reset'; readonly worked: boolean }
  /** Changes the JSON of a success. */
  | { readonly kind: 'alter'; readonly alter: (content: JsonObject) => JsonObject };

export interface WebhookFault {
  readonly on: 'webhook';
  /** As in `email.delivered`. @default any */
  readonly event?: string;
  /** Name of the account that registered the receiver. @default any */
  readonly account?: string;
  /** @default the first */
  readonly when?: Occurrences;
  /** What the receiver gets, in this order; none drops the webhook. */
  readonly deliveries: readonly Delivery[];
}

/** Without any of these, the webhook as it was signed, at once. */
export interface Delivery {
  /** What has to be over first; the deliveries behind it do not wait. */
  readonly after?: Hold | NextWebhook;
  readonly change?: WebhookChange;
}

export type WebhookChange =
  /** The body that a forger puts under the signature of the real one. */
  | { readonly kind: 'forged'; readonly forge: (body: string) => string }
  /** Signed with the receiver's own secret, by a clock that is this much ahead, or behind if negative. */
  | { readonly kind: 'wrongClock'; readonly aheadMs: number };

/** Until the receiver has got a later webhook: the two change places. */
export interface NextWebhook {
  readonly kind: 'nextWebhook';
}

/** What a held call or delivery waits for. */
export type Hold =
  { readonly kind: 'time'; readonly ms: number } | { readonly kind: 'promise'; readonly promise: Promise<unknown> };

export const over = (hold: Hold): Promise<unknown> =>
  hold.kind === 'time' ? sleep(hold.ms, undefined, { ref: false }) : hold.promise;

export type Fault = CallFault | WebhookFault;

import type { RelayedExchange, RelayReply } from '../../../src/dev/relay.ts';
import { readJson, withoutQuery } from './read-json.ts';

export interface WebhookReceiver {
  readonly url: string;
  readonly account: string | undefined;
  /** `whsec_…`; undefined until an answer showed it. */
  readonly signingSecret: string | undefined;
}

/** Puts the proxy between the email service and the receivers of its webhooks. */
export interface WebhookReceivers {
  /** The call with the proxy's address in place of the receiver's, if it registers one. */
  redirect(call: RelayedExchange, account: string | undefined): RelayedExchange;
  /** The answer with the receivers' own addresses; remembers the signing secret in it. */
  restore(call: RelayedExchange, answer: RelayReply): RelayReply;
  /** The receiver behind a path of the proxy; undefined if none is registered there. */
  at(path: string): WebhookReceiver | undefined;
}

export const RECEIVERS_PATH = '/webhook-receivers/';

/** @param proxyUrl without a slash at its end */
export function createWebhookReceivers(proxyUrl: string): WebhookReceivers {
  const receivers = new Map<string, WebhookReceiver>();
  // Made of the address alone: a repeated POST /webhooks must be the same one to the email service's Idempotency-Key.
  const addressFor = (url: string): string => `${proxyUrl}${RECEIVERS_PATH}${Buffer.from(url).toString('base64url')}`;
  return {
    redirect(call, account) {
      const content = registration(call);
      if (content === undefined) return call;
      const known = receivers.get(content.url);
      receivers.set(content.url, { url: content.url, account, signingSecret: known?.signingSecret });
      return { ...call, requestBody: JSON.stringify({ ...content, url: addressFor(content.url) }) };
    },

    restore(call, answer) {
      if (!/^\/webhooks(\/|$)/.test(withoutQuery(call.path))) return answer;
      const url = registration(call)?.url;
      const receiver = url === undefined ? undefined : receivers.get(url);
      const signingSecret = readJson(answer.body)?.['signing_secret'];
      if (receiver !== undefined && typeof signingSecret === 'string') {
        receivers.set(receiver.url, { ...receiver, signingSecret });
      }
      let { body } = answer;
      for (const known of receivers.keys()) {
        body = body.replaceAll(JSON.stringify(addressFor(known)), () => JSON.stringify(known));
      }
      return { ...answer, body };
    },

    at: (path) => receivers.get(Buffer.from(path.slice(RECEIVERS_PATH.length), 'base64url').toString('utf8')),
  };
}

/** The content of a POST /webhooks that has an address. */
function registration(call: RelayedExchange): { readonly url: string } | undefined {
  if (call.method !== 'POST' || withoutQuery(call.path) !== '/webhooks') return undefined;
  const content = readJson(call.requestBody);
  return typeof content?.['url'] === 'string' ? { ...content, url: content['url'] } : undefined;
}

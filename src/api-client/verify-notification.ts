import { Webhook } from 'standardwebhooks';
import { isObject } from '../lib/json-value.ts';
import { parseJson } from '../lib/parse-json.ts';
import type { Notification } from './events.ts';
import { SendoffError } from './sendoff-error.ts';

/** Headers of a request, as `fetch` or Node's `http` has them. */
export type RequestHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The notification that a request to SENDOFF_NOTIFICATION_URL or AGENTS_MD_WEBHOOK_URL brings.
 *
 * @param body the bytes as they arrived, before any parser
 * @param secret `whsec_` and base64
 * @throws SendoffError `invalid_signature`: answer 401; also if the timestamp is more than five minutes off
 * @throws SendoffError `unexpected_answer`: signed, but not a notification
 */
export function verifyNotification(body: string | Uint8Array, headers: RequestHeaders, secret: string): Notification {
  const webhook = new Webhook(secret);
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
  const signed = Object.fromEntries(names.map((name) => [name, headerOf(headers, name)]));
  try {
    webhook.verify(text, signed, { jsonParse: false });
  } catch (cause) {
    const detail = `The request is not signed with this secret: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new SendoffError({ status: null, code: 'invalid_signature', detail }, { cause });
  }
  const content = parseJson(text);
  if (!isNotification(content)) {
    const detail = 'The body is signed, but is not JSON with `type`, `timestamp` and `data`';
    throw new SendoffError({ status: null, code: 'unexpected_answer', detail });
  }
  return { ...content, id: signed['webhook-id'] ?? '' };
}

function headerOf(headers: RequestHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  return typeof value === 'string' ? value : '';
}

function isNotification(content: unknown): content is Notification {
  if (!isObject(content)) return false;
  const { type, timestamp, data } = content;
  return typeof type === 'string' && typeof timestamp === 'string' && typeof data === 'object' && data !== null;
}

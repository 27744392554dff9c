// The webhook of a Resend team, which reports the emails and domains of all tenants (https://resend.com/docs/webhooks).
import { isObject, type JsonObject } from '../../../lib/json-value.ts';
import { readSignedWebhook } from '../../../lib/webhooks/read-signed-webhook.ts';
import type { Bounce, ProviderEvent, ProviderEventType, WebhookReader } from '../../../onboarding/provider-event.ts';
import { bounceOf } from '../../bounce-words.ts';

/** The tag of an email with its intent, in the characters that tags allow. */
export const INTENT_TAG = 'sendoff_intent';

const types: Readonly<Record<string, ProviderEventType>> = {
  'email.sent': 'accepted',
  'email.delivered': 'delivered',
  'email.delivery_delayed': 'deferred',
  'email.bounced': 'bounced',
  'email.suppressed': 'suppressed',
  'domain.updated': 'domain',
};

/** Those that an onboarding needs. */
export const subscribedEvents = Object.keys(types);

const fieldsOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** @param secrets see RESEND_WEBHOOK_SECRET */
export const createResendWebhookReader =
  (secrets: readonly string[]): WebhookReader =>
  async (webhook) => {
    const signed = readSignedWebhook(webhook, secrets, 'svix');
    return signed && [readEvent(signed.id, fieldsOf(signed.content))];
  };

function readEvent(eventId: string, { type: word, created_at: at, data }: JsonObject): ProviderEvent {
  const type = (typeof word === 'string' && Object.hasOwn(types, word) ? types[word] : undefined) ?? 'other';
  const fields = fieldsOf(data);
  return {
    eventId,
    type,
    at: timeOf(at),
    emailId: textOf(fields['email_id']),
    intentId: textOf(fieldsOf(fields['tags'])[INTENT_TAG]),
    domainId: type === 'domain' ? textOf(fields['id']) : undefined,
    bounce: bounceIn(type, fields),
  };
}

function bounceIn(type: ProviderEventType, { bounce, suppressed }: JsonObject): Bounce | undefined {
  if (type !== 'bounced' && type !== 'suppressed') return undefined;
  const words = fieldsOf(type === 'bounced' ? bounce : suppressed);
  const [diagnostic] = Array.isArray(words['diagnosticCode']) ? (words['diagnosticCode'] as readonly unknown[]) : [];
  const named = textOf(words['type']) ?? '';
  return bounceOf({
    type: named,
    subType: type === 'suppressed' ? 'Suppressed' : (textOf(words['subType']) ?? ''),
    reason: textOf(words['message']) ?? `Resend reports the email as ${type}`,
    diagnostic: textOf(diagnostic) ?? null,
  });
}

function timeOf(value: unknown): string {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return new Date(Number.isNaN(time) ? Date.now() : time).toISOString();
}

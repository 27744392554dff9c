// The webhook of a Resend team, which reports the emails and domains of all tenants (https://resend.com/docs/webhooks).
import type { JsonObject } from '../../../lib/json-value.ts';
import { readSignedWebhook } from '../../../lib/webhooks/read-signed-webhook.ts';
import type { Bounce, ProviderEvent, ProviderEventType, WebhookReader } from '../../../onboarding/provider-event.ts';
import { fieldsIn, itemsIn, textIn, timeOf } from '../../answer-fields.ts';
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

/** @param secrets see RESEND_WEBHOOK_SECRET */
export const createResendWebhookReader =
  (secrets: readonly string[]): WebhookReader =>
  async (webhook) => {
    const signed = readSignedWebhook(webhook, secrets, 'svix');
    return signed && [readEvent(signed.id, signed.content)];
  };

function readEvent(eventId: string, content: object): ProviderEvent {
  const word = textIn(content, 'type') ?? '';
  const type = (Object.hasOwn(types, word) ? types[word] : undefined) ?? 'other';
  const fields = fieldsIn(content, 'data');
  return {
    eventId,
    type,
    at: timeOf(textIn(content, 'created_at')),
    emailId: textIn(fields, 'email_id'),
    intentId: textIn(fields['tags'], INTENT_TAG),
    domainId: type === 'domain' ? textIn(fields, 'id') : undefined,
    bounce: bounceIn(type, fields),
  };
}

function bounceIn(type: ProviderEventType, { bounce, suppressed }: JsonObject): Bounce | undefined {
  if (type !== 'bounced' && type !== 'suppressed') return undefined;
  const words = type === 'bounced' ? bounce : suppressed;
  const diagnostic = itemsIn(words, 'diagnosticCode')?.[0];
  return bounceOf({
    type: textIn(words, 'type'),
    subType: type === 'suppressed' ? 'Suppressed' : textIn(words, 'subType'),
    reason: textIn(words, 'message') ?? `Resend reports the email as ${type}`,
    diagnostic: typeof diagnostic === 'string' && diagnostic !== '' ? diagnostic : undefined,
  });
}

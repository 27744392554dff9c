// What SES publishes about an email (https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html).
import type { JsonObject } from '../../../lib/json-value.ts';
import type { Bounce, ProviderEvent, ProviderEventType } from '../../../onboarding/provider-event.ts';
import { fieldsIn, textIn, timeOf } from '../../answer-fields.ts';
import { bounceOf } from '../../bounce-words.ts';
import { listIn, parseFields } from './read-answers.ts';

/** The tag of an email with its intent. */
export const INTENT_TAG = 'sendoff_intent';

/** Those that an onboarding needs, as an event destination names them. */
export const subscribedEvents = ['SEND', 'REJECT', 'BOUNCE', 'COMPLAINT', 'DELIVERY', 'DELIVERY_DELAY'] as const;

interface Reading {
  /** The field that explains the event. */
  readonly field: string;
  readonly read: (detail: JsonObject) => { readonly type: ProviderEventType; readonly bounce?: Bounce };
}

const readings: Readonly<Record<string, Reading>> = {
  Send: { field: 'send', read: () => ({ type: 'accepted' }) },
  Delivery: { field: 'delivery', read: () => ({ type: 'delivered' }) },
  DeliveryDelay: { field: 'deliveryDelay', read: () => ({ type: 'deferred' }) },
  // A receiver who complains has the email, unless an earlier complaint kept it back.
  Complaint: {
    field: 'complaint',
    read: (detail) =>
      isSuppression(textIn(detail, 'complaintSubType'))
        ? { type: 'suppressed', bounce: suppressed('A complaint about an earlier email') }
        : { type: 'delivered' },
  },
  Bounce: { field: 'bounce', read: readBounce },
  Reject: {
    field: 'reject',
    read: (detail) => ({
      type: 'bounced',
      bounce: bounceOf({
        ...{ type: 'Permanent', subType: 'ContentRejected' },
        reason: `SES did not send the email: ${textIn(detail, 'reason') ?? 'no reason given'}`,
      }),
    }),
  },
};

/**
 * Undefined unless it is about an email: SES also posts a text that it has found the topic.
 *
 * @param eventId that of the SNS message
 */
export function readSesEvent(eventId: string, message: string): ProviderEvent | undefined {
  const content = parseFields(message);
  const mail = fieldsIn(content, 'mail');
  const emailId = textIn(mail, 'messageId');
  const word = textIn(content, 'eventType');
  if (emailId === undefined || word === undefined) return undefined;
  const { field, read } = (Object.hasOwn(readings, word) ? readings[word] : undefined) ?? other;
  const detail = fieldsIn(content, field);
  const [intentId] = listIn(fieldsIn(mail, 'tags'), INTENT_TAG);
  return {
    ...{ eventId, emailId, ...read(detail) },
    at: timeOf(textIn(detail, 'timestamp') ?? textIn(mail, 'timestamp')),
    ...(typeof intentId === 'string' && { intentId }),
  };
}

/** Opened, clicked, or a word that is new. */
const other: Reading = { field: '', read: () => ({ type: 'other' }) };

function readBounce(detail: JsonObject): ReturnType<Reading['read']> {
  const [type = '', subType = ''] = ['bounceType', 'bounceSubType'].map((field) => textIn(detail, field));
  const [recipient] = listIn(detail, 'bouncedRecipients');
  const diagnostic = textIn(recipient, 'diagnosticCode');
  if (isSuppression(subType))
    return { type: 'suppressed', bounce: suppressed(`SES reports ${type} ${subType}`, diagnostic) };
  const bounce = bounceOf({ type, subType, reason: `SES reports ${type} ${subType}`, diagnostic });
  // Also what an out-of-office reply looks like, after which the email may be delivered, or is.
  if (type === 'Transient' && subType === 'General') return { type: 'deferred' };
  return {
    type: 'bounced',
    bounce: { ...bounce, enhancedCode: bounce.enhancedCode ?? textIn(recipient, 'status') ?? null },
  };
}

const suppressed = (reason: string, diagnostic?: string): Bounce =>
  bounceOf({ type: 'Permanent', subType: 'Suppressed', reason, diagnostic });

/** `Suppressed`, `OnAccountSuppressionList`, and that of a tenant. */
const isSuppression = (subType: string | undefined): boolean => /suppress/i.test(subType ?? '');

// The words in which Amazon SES explains a bounce, and Resend, which sends through it. Other providers' bounces have one of these or none.
import type { Bounce } from '../onboarding/provider-event.ts';

interface BounceWords {
  /** `Permanent`, `Transient`, `Undetermined`, or a word that is new. */
  readonly type?: string | undefined;
  readonly subType?: string | undefined;
  readonly reason: string;
  /** The receiver's reply: `smtp; 550 5.1.1 user unknown`. */
  readonly diagnostic?: string | undefined;
}

const categories: Readonly<Record<string, string>> = {
  General: 'recipient',
  NoEmail: 'recipient',
  MailboxFull: 'mailbox_full',
  MessageTooLarge: 'content',
  ContentRejected: 'content',
  AttachmentRejected: 'content',
  Suppressed: 'suppressed',
  OnAccountSuppressionList: 'suppressed',
};

/** RFC 5321 section 4.2 and RFC 3463 section 2, for people: the category is the provider's. */
const REPLY = /^(?:smtp; ?)?([245]\d\d)[ -](?:([245]\.\d{1,3}\.\d{1,3})(?!\S))?/i;

/** With the reason alone, of a provider that says no more: `unknown`. */
export function bounceOf({ type = '', subType = '', reason, diagnostic }: BounceWords): Bounce {
  const named = Object.hasOwn(categories, subType) ? categories[subType] : undefined;
  const isTransient = type.toLowerCase() === 'transient';
  const category = (isTransient && named === 'recipient' ? 'infrastructure' : named) ?? 'unknown';
  const isAddress = category === 'recipient' || category === 'suppressed';
  const [, smtpCode, enhancedCode = null] = REPLY.exec(diagnostic ?? '') ?? [];
  return {
    category,
    permanentFor: isTransient ? null : isAddress ? 'address' : category === 'content' ? 'message' : null,
    reason,
    smtpCode: smtpCode === undefined ? null : Number(smtpCode),
    enhancedCode,
    diagnostic: diagnostic ?? null,
    remoteMta: null,
  };
}

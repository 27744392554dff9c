import { Type, type Static } from 'typebox';
import type { DeliveryAttemptTable, EmailRecipient, EmailSummary, EmailTable } from '../store/schema.ts';
import { nullableInteger, nullableString, nullableTimestamp, TextMap, Timestamp, Word } from './wire-types.ts';

export const EmailStatus = Word(['queued', 'delivered', 'bounced']);

const roles = ['to', 'cc', 'bcc'] as const;

export const EmailAttachment = Type.Object({
  filename: Type.String(),
  content_type: Type.String(),
  content_id: Type.Optional(Type.String({ description: 'What `cid:` in the HTML names.' })),
  size: Type.Integer({ description: 'Bytes.' }),
});
export type EmailAttachment = Static<typeof EmailAttachment>;

const category = Word([
  'recipient',
  'mailbox_full',
  'content',
  'policy',
  'infrastructure',
  'expired',
  'suppressed',
  'cancelled',
]);

export const Bounce = Type.Object({
  category,
  permanent: Type.Boolean({
    description: 'Whether another email to this address would bounce as well: `permanent_for` is `address`.',
  }),
  permanent_for: Type.Unsafe<'address' | 'message' | null>({
    type: ['string', 'null'],
    enum: ['address', 'message', null],
    description:
      'What is refused for good. address: stop sending to it. message: this message or its sender, while another one to the same address may be accepted. null: the same message may be accepted later.',
  }),
  reason: Type.String({ description: 'An explanation for people.' }),
  smtp_code: nullableInteger(),
  enhanced_code: nullableString(),
  diagnostic: nullableString("The text of the receiving server's reply."),
  remote_mta: nullableString(),
  attempt: nullableInteger('The number of the attempt that bounced; null if no attempt was made.'),
});
export type Bounce = Static<typeof Bounce>;

export const LateBounce = Type.Object(
  {
    at: Timestamp,
    code: nullableString('The status code of the report, RFC 3463; null if it has none.'),
    category,
    permanent: Type.Boolean({ description: 'Whether another email to this address would bounce as well.' }),
    reason: Type.String({ description: 'An explanation for people.' }),
  },
  {
    description:
      'A server that had accepted the email reported that it cannot deliver it. The status stays `delivered`: the recipient has not received it nevertheless.',
  },
);
export type LateBounce = Static<typeof LateBounce>;

export const EmailComplaint = Type.Object(
  { at: Timestamp, type: Word(['abuse', 'fraud', 'virus', 'other'], 'RFC 5965 section 7.3.') },
  { description: 'The recipient, or their provider, complained about the email.' },
);
export type EmailComplaint = Static<typeof EmailComplaint>;

export const AttemptTls = Type.Object({
  version: Type.String({ description: 'Such as TLSv1.3.' }),
  cipher: Type.String({ description: 'The name of the cipher suite in its RFC.' }),
  verified: Type.Boolean({ description: "Whether the server's certificate is valid for its name." }),
  policy: Word(
    ['opportunistic', 'required', 'mta-sts'],
    'What the attempt needed. opportunistic: nothing. required: TLS and a valid certificate, because the domain or the relay does. mta-sts: the same because the receiving domain does (RFC 8461), and a server that its policy names.',
  ),
});
export type AttemptTls = Static<typeof AttemptTls>;

export const DeliveryAttempt = Type.Object({
  number: Type.Integer({ description: '1 for the first.' }),
  outcome: Word(
    ['started', 'delivered', 'deferred', 'bounced', 'unknown'],
    'unknown: the connection was lost before the server confirmed or refused the message.',
  ),
  remote_mta: nullableString(),
  smtp_code: nullableInteger(),
  enhanced_code: nullableString(),
  diagnostic: nullableString(),
  tls: Type.Unsafe<AttemptTls | null>({
    ...AttemptTls,
    type: ['object', 'null'],
    description: 'How the connection was encrypted; null if it was not.',
  }),
  started_at: Timestamp,
  finished_at: nullableTimestamp(),
});
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

export const EmailResource = Type.Object(
  {
    id: Type.String(),
    status: EmailStatus,
    sender_id: Type.String(),
    recipient: Type.String(),
    role: Type.Optional(
      Word(roles, 'Where the message names the recipient; absent if the request named no other recipient.'),
    ),
    recipients: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String({ description: 'Of the email to this recipient.' }),
          recipient: Type.String(),
          role: Word(roles),
          status: EmailStatus,
        }),
        {
          description:
            'Only in `GET /emails/{id}`, if the request named several: all of them, each with its own email.',
        },
      ),
    ),
    subject: Type.String(),
    attachments: Type.Optional(
      Type.Array(EmailAttachment, {
        description:
          'Only in `GET /emails/{id}`, without the contents and as long as these are kept; absent if it has none.',
      }),
    ),
    message_id: Type.String({
      description: 'The Message-ID header (RFC 5322 section 3.6.4), with its angle brackets.',
    }),
    metadata: TextMap,
    tags: Type.Array(Type.String()),
    attempts: Type.Array(DeliveryAttempt),
    bounce: Type.Optional(Bounce),
    delivered_at: Type.Optional(Timestamp),
    late_bounce: Type.Optional(LateBounce),
    complaint: Type.Optional(EmailComplaint),
    suppression_override: Type.Optional(
      Type.String({ description: 'Why the email is sent although its recipient may be suppressed.' }),
    ),
    erased_at: Type.Optional(
      Type.Unsafe<string>({
        ...Timestamp,
        description:
          'When its recipient was erased. `recipient` and `subject` are empty since then, as is all else that names or describes the person.',
      }),
    ),
    created_at: Timestamp,
    scheduled_at: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the first attempt is due, if the request named a time.' }),
    ),
    expires_at: Type.String({
      format: 'date-time',
      description: 'If the email is still queued at this time, it bounces.',
    }),
  },
  { description: 'An email with all its delivery attempts.' },
);
export type EmailResource = Static<typeof EmailResource>;

interface ShownDetails {
  readonly recipients?: readonly EmailRecipient[];
  readonly attachments?: EmailTable['attachments'];
}

/**
 * @param attempts this email's, in any order
 * @param shown what not every answer shows. `recipients`: all of its request, empty if it was alone
 */
export const emailResource = (
  row: EmailSummary,
  attempts: readonly DeliveryAttemptTable[],
  { recipients = [], attachments = null }: ShownDetails = {},
): EmailResource => ({
  id: row.id,
  status: row.status,
  sender_id: row.sender_id,
  recipient: row.recipient,
  ...(row.role === null ? {} : { role: row.role }),
  ...(recipients.length === 0
    ? {}
    : { recipients: recipients.map(({ role, ...each }) => ({ ...each, role: role ?? ('to' as const) })) }),
  subject: row.subject,
  ...(attachments === null ? {} : { attachments: JSON.parse(attachments) as EmailAttachment[] }),
  message_id: row.message_id,
  metadata: JSON.parse(row.metadata) as Record<string, string>,
  tags: JSON.parse(row.tags) as string[],
  attempts: attempts.map(deliveryAttempt).sort((one, other) => one.number - other.number),
  ...(row.bounce === null ? {} : { bounce: JSON.parse(row.bounce) as Bounce }),
  ...(row.delivered_at === null ? {} : { delivered_at: row.delivered_at }),
  ...(row.late_bounce === null ? {} : { late_bounce: JSON.parse(row.late_bounce) as LateBounce }),
  ...(row.complaint === null ? {} : { complaint: JSON.parse(row.complaint) as EmailComplaint }),
  ...(row.suppression_override === null ? {} : { suppression_override: row.suppression_override }),
  ...(row.erased_at === null ? {} : { erased_at: row.erased_at }),
  created_at: row.created_at,
  ...(row.scheduled_at === null ? {} : { scheduled_at: row.scheduled_at }),
  expires_at: row.expires_at,
});

const deliveryAttempt = (row: DeliveryAttemptTable): DeliveryAttempt => ({
  number: row.number,
  outcome: row.outcome,
  remote_mta: row.remote_mta,
  smtp_code: row.reply_code,
  enhanced_code: row.enhanced_status_code,
  diagnostic: row.diagnostic,
  tls: row.tls === null ? null : (JSON.parse(row.tls) as AttemptTls),
  started_at: row.started_at,
  finished_at: row.finished_at,
});

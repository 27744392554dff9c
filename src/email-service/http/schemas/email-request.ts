import { Type, type Static } from 'typebox';
import { faultAt, type FieldError } from '../../../lib/http/problem.ts';
import { mailAddressFault, splitAddress, withNormalDomain } from '../../../lib/mail-rules/mail-address-fault.ts';
import { CONTENT_BYTES_MAX, contentSizeFault, SUBJECT_CHARACTERS_MAX } from '../../../lib/mail-rules/text-faults.ts';
import { suppressedBounce } from '../../delivery/classify-bounce.ts';
import { messageHeaderFaults } from '../../delivery/message-header-faults.ts';
import { newId } from '../../resources/resource-ids.ts';
import type { EmailTable } from '../../store/schema.ts';
import type { SenderWithDomain } from '../../store/senders.ts';
import { suppressionOf } from '../../store/suppressions.ts';
import { SCHEDULED_AT, scheduledTimeFault } from '../scheduled-time.ts';
import { lines, oneLine, tag, texts } from './request-fields.ts';

/** JSON escapes such as `\u00e4` take six bytes for a character of one or two. */
const JSON_ESCAPE_BYTES = 6;
/** Text and HTML, fully escaped, and all other fields at their longest. */
export const REQUEST_BYTES_MAX = JSON_ESCAPE_BYTES * (2 * CONTENT_BYTES_MAX + 100_000);
/** With the longest name and the colon, still within one line of 998 octets. */
const HEADER_VALUE_LENGTH_MAX = 900;
/** Each is two more rows of an index. */
const TAGS_MAX = 10;
const EXPIRES_IN_SECONDS = { least: 60, most: 7 * 86_400, otherwise: 86_400 };

export const EmailRequest = Type.Object(
  {
    sender_id: oneLine({ minLength: 1, maxLength: 100 }),
    recipient: oneLine({ minLength: 1, maxLength: 1000, description: 'A single email address.' }),
    subject: oneLine({ minLength: 1, maxLength: SUBJECT_CHARACTERS_MAX }),
    body: lines({
      minLength: 1,
      maxLength: CONTENT_BYTES_MAX,
      description: 'Plain text, at most 1,000,000 bytes in UTF-8.',
    }),
    html: Type.Optional(
      lines({
        minLength: 1,
        maxLength: CONTENT_BYTES_MAX,
        description: 'The same content as HTML, at most 1,000,000 bytes in UTF-8.',
      }),
    ),
    headers: Type.Optional(
      texts({
        description: 'Additional headers by name. Headers that the service sets are refused.',
        namesMax: 50,
        nameLengthMax: 76,
        valueLengthMax: HEADER_VALUE_LENGTH_MAX,
      }),
    ),
    metadata: Type.Optional(
      texts({
        description: 'Stored for the caller, never sent.',
        namesMax: 50,
        nameLengthMax: 64,
        valueLengthMax: 500,
      }),
    ),
    tags: Type.Optional(
      Type.Array(tag(), {
        maxItems: TAGS_MAX,
        uniqueItems: true,
        description: 'To find emails by, with GET /emails?tag=. Never sent. Upper and lower case differ.',
      }),
    ),
    suppression_override: Type.Optional(
      oneLine({
        minLength: 1,
        maxLength: 500,
        description:
          'Why the email is to be sent even if its recipient is suppressed. Kept with the email. Needs the scope manage too.',
      }),
    ),
    scheduled_at: Type.Optional(
      Type.String({ format: 'date-time', description: `When the email leaves: ${SCHEDULED_AT} Left out: at once.` }),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: EXPIRES_IN_SECONDS.least,
        maximum: EXPIRES_IN_SECONDS.most,
        description: `Seconds from scheduled_at, or from the request, until an undelivered email bounces; ${EXPIRES_IN_SECONDS.otherwise} by default.`,
      }),
    ),
  },
  { additionalProperties: false },
);
export type EmailRequest = Static<typeof EmailRequest>;

export function contentFaults(
  { recipient, body, html = '', headers = {}, scheduled_at: scheduledAt }: EmailRequest,
  now: Date,
): readonly FieldError[] {
  return [
    ...faultAt('/recipient', mailAddressFault(recipient)),
    ...faultAt('/body', contentSizeFault(body)),
    ...faultAt('/html', contentSizeFault(html)),
    ...messageHeaderFaults(headers, '/headers'),
    ...faultAt('/scheduled_at', scheduledTimeFault(scheduledAt, now)),
  ];
}

export function newEmail(accountId: string, sender: SenderWithDomain, request: EmailRequest, now: Date): EmailTable {
  const id = newId('eml');
  const { recipient, subject, body, html = null, headers = {}, metadata = {}, tags = [] } = request;
  const { expires_in: expiresInSeconds = EXPIRES_IN_SECONDS.otherwise, suppression_override: override = null } =
    request;
  const suppressed = suppressionOf(sender, override);
  const scheduledAt = request.scheduled_at === undefined ? null : new Date(request.scheduled_at);
  const leavesAt = scheduledAt ?? now;
  return {
    id,
    account_id: accountId,
    sender_id: sender.id,
    recipient: withNormalDomain(recipient),
    recipient_domain: splitAddress(recipient).domain,
    subject,
    body,
    html,
    headers: JSON.stringify(headers),
    metadata: JSON.stringify(metadata),
    tags: JSON.stringify(tags),
    status: suppressed === undefined ? 'queued' : 'bounced',
    message_id: `<${id}@${sender.domain_name}>`,
    signed_message: null,
    bounce: suppressed === undefined ? null : JSON.stringify(suppressedBounce(suppressed)),
    created_at: now.toISOString(),
    scheduled_at: scheduledAt?.toISOString() ?? null,
    held_until: scheduledAt?.toISOString() ?? null,
    expires_at: new Date(leavesAt.getTime() + expiresInSeconds * 1000).toISOString(),
    delivered_at: null,
    content_erased_at: null,
    suppression_override: override,
    late_bounce: null,
    complaint: null,
    erased_at: null,
  };
}

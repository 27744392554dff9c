import { Type, type Static } from 'typebox';
import { faultAt, type FieldError } from '../../../lib/http/problem.ts';
import { mailAddressFault, splitAddress, withNormalDomain } from '../../../lib/mail-rules/mail-address-fault.ts';
import {
  CONTENT_BYTES_MAX,
  contentSizeFault,
  ONE_LINE,
  SUBJECT_CHARACTERS_MAX,
} from '../../../lib/mail-rules/text-faults.ts';
import { suppressedBounce } from '../../delivery/classify-bounce.ts';
import { sandboxFault } from '../../delivery/sandbox.ts';
import { messageHeaderFaults } from './message-header-faults.ts';
import { newId } from '../../resources/resource-ids.ts';
import type { AttachmentsToStore } from '../../store/attachments.ts';
import type { EmailTable, SharedContentTable } from '../../store/schema.ts';
import type { SenderWithDomain } from '../../store/senders.ts';
import { type Suppressed, suppressedForm } from '../../store/suppressions.ts';
import { SCHEDULED_AT, scheduledTimeFault } from '../scheduled-time.ts';
import { attachmentFaults, Attachments, emailAttachments } from './attachments.ts';
import { lines, oneLine, tag, texts } from './request-fields.ts';

/** JSON escapes such as `\u00e4` take six bytes for a character of one or two. */
const JSON_ESCAPE_BYTES = 6;
/** Text and HTML, fully escaped, and all other fields at their longest; of a batch, all its emails together. */
export const REQUEST_BYTES_MAX = JSON_ESCAPE_BYTES * (2 * CONTENT_BYTES_MAX + 100_000);
/** With the longest name and the colon, still within one line of 998 octets. */
const HEADER_VALUE_LENGTH_MAX = 900;
/** Each is two more rows of an index. */
const TAGS_MAX = 10;
const EXPIRES_IN_SECONDS = { least: 60, most: 7 * 86_400, otherwise: 86_400 };

/** Each gets a message, with a row, attempts and events of its own. */
const RECIPIENTS_MAX = 50;
const ADDRESS_CHARACTERS_MAX = 1000;

const addresses = (description: string) => ({
  type: 'array',
  maxItems: RECIPIENTS_MAX,
  items: oneLine({ minLength: 1, maxLength: ADDRESS_CHARACTERS_MAX }),
  description: `${description} With those of the other two fields at most ${String(RECIPIENTS_MAX)}, each once; each gets a message of its own.`,
});

export const EmailRequest = Type.Object(
  {
    sender_id: oneLine({ minLength: 1, maxLength: 100 }),
    recipient: Type.Unsafe<string | readonly string[]>({
      ...addresses('The address that the message is to, or a list of them.'),
      type: ['string', 'array'],
      ...{ minLength: 1, maxLength: ADDRESS_CHARACTERS_MAX, pattern: ONE_LINE, minItems: 1 },
    }),
    cc: Type.Optional(
      Type.Unsafe<readonly string[]>(addresses('More recipients, whom the header of the message names.')),
    ),
    bcc: Type.Optional(Type.Unsafe<readonly string[]>(addresses('More recipients, whom no header names.'))),
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
    attachments: Type.Optional(Attachments),
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

const BATCH_MAX = 100;
/** Each is several rows of one transaction, for which other emails of the account wait. */
const BATCH_RECIPIENTS_MAX = 500;

export const EmailBatch = Type.Object(
  {
    emails: Type.Array(EmailRequest, {
      minItems: 1,
      maxItems: BATCH_MAX,
      description: `As for POST /emails; with at most ${String(BATCH_RECIPIENTS_MAX)} recipients in all.`,
    }),
  },
  { additionalProperties: false },
);

export function batchFaults({ emails }: Static<typeof EmailBatch>): readonly FieldError[] {
  const count = emails.reduce((sum, email) => sum + recipientsOf(email).length, 0);
  if (count <= BATCH_RECIPIENTS_MAX) return [];
  const detail = `The emails of a batch have together at most ${String(BATCH_RECIPIENTS_MAX)} recipients; found ${String(count)}. Send several batches.`;
  return [{ pointer: '/emails', code: 'too_many', detail }];
}

export interface Recipient {
  readonly address: string;
  readonly role: 'to' | 'cc' | 'bcc';
  /** RFC 6901, into the request. */
  readonly pointer: string;
}

/** In the order of the request: to, cc, bcc. */
export function recipientsOf({ recipient, cc = [], bcc = [] }: EmailRequest): readonly Recipient[] {
  const of = (list: readonly string[], role: Recipient['role'], pointer: string): Recipient[] =>
    list.map((address, index) => ({ address, role, pointer: `${pointer}/${String(index)}` }));
  const to =
    typeof recipient === 'string'
      ? [{ address: recipient, role: 'to' as const, pointer: '/recipient' }]
      : of(recipient, 'to', '/recipient');
  return [...to, ...of(cc, 'cc', '/cc'), ...of(bcc, 'bcc', '/bcc')];
}

function recipientFaults(request: EmailRequest): readonly FieldError[] {
  const recipients = recipientsOf(request);
  if (recipients.length > RECIPIENTS_MAX) {
    const detail = `recipient, cc and bcc have together at most ${String(RECIPIENTS_MAX)} addresses; found ${String(recipients.length)}. Send several emails.`;
    return [{ pointer: '/recipient', code: 'too_many', detail }];
  }
  const seen = new Set<string>();
  return recipients.flatMap(({ address, pointer }) => {
    const fault = mailAddressFault(address) ?? sandboxFault(address);
    if (fault !== undefined) return [{ pointer, ...fault }];
    const form = suppressedForm(address);
    const isRepeated = seen.has(form);
    seen.add(form);
    const detail = `The address ${JSON.stringify(address)} occurs twice among recipient, cc and bcc, in any case. Keep one.`;
    return isRepeated ? [{ pointer, code: 'duplicate', detail }] : [];
  });
}

export interface EmailToAccept {
  readonly request: EmailRequest;
  /** The contents of its attachments, by `takeContents`. */
  readonly contents: readonly Buffer[];
  /** Where it is in the body. */
  readonly pointer: string;
}

export function emailFaults({ request, contents, pointer }: EmailToAccept, now: Date): readonly FieldError[] {
  const { body, html = '', headers = {}, scheduled_at: scheduledAt } = request;
  const faults = [
    ...recipientFaults(request),
    ...faultAt('/body', contentSizeFault(body)),
    ...faultAt('/html', contentSizeFault(html)),
    ...attachmentFaults(request, contents),
    ...messageHeaderFaults(headers, '/headers'),
    ...faultAt('/scheduled_at', scheduledTimeFault(scheduledAt, now)),
  ];
  return faults.map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` }));
}

export interface NewEmails {
  /** One of each recipient, in the order of the request and of their ids. */
  readonly rows: readonly EmailTable[];
  /** The content that several recipients share. */
  readonly shared: SharedContentTable | undefined;
  readonly attachments: AttachmentsToStore | undefined;
}

/** @param suppressed by the form of the address; those that the caller has not overridden bounce at once */
export function newEmails(
  accountId: string,
  sender: Pick<SenderWithDomain, 'id' | 'domain_name'>,
  { request, contents }: Pick<EmailToAccept, 'request' | 'contents'>,
  { suppressed, now }: { readonly suppressed: ReadonlyMap<string, Suppressed>; readonly now: Date },
): NewEmails {
  const recipients = recipientsOf(request);
  const ids = recipients.map(() => newId('eml')).sort();
  const { subject, body, html = null, headers = {}, metadata = {}, tags = [] } = request;
  const { expires_in: expiresInSeconds = EXPIRES_IN_SECONDS.otherwise, suppression_override: override = null } =
    request;
  const [firstId = ''] = ids;
  const isAlone = recipients.length === 1;
  const scheduledAt = request.scheduled_at === undefined ? null : new Date(request.scheduled_at);
  const leavesAt = scheduledAt ?? now;
  const attachments = emailAttachments(request, contents);
  const content = { body, html, headers: JSON.stringify(headers) };
  const rows = recipients.map(({ address, role }, index): EmailTable => {
    const listed = override === null ? suppressed.get(suppressedForm(address)) : undefined;
    return {
      id: ids[index] ?? '',
      account_id: accountId,
      sender_id: sender.id,
      content_id: isAlone ? null : firstId,
      role: isAlone ? null : role,
      request_id: null,
      recipient: withNormalDomain(address),
      recipient_domain: splitAddress(address).domain,
      subject,
      ...(isAlone ? content : { body: '', html: null, headers: '{}' }),
      attachments: attachments === undefined ? null : JSON.stringify(attachments),
      metadata: JSON.stringify(metadata),
      tags: JSON.stringify(tags),
      status: listed === undefined ? 'queued' : 'bounced',
      // One for all, so that answers of each find the conversation of all.
      message_id: `<${firstId}@${sender.domain_name}>`,
      signed_message: null,
      bounce: listed === undefined ? null : JSON.stringify(suppressedBounce(listed)),
      created_at: now.toISOString(),
      scheduled_at: scheduledAt?.toISOString() ?? null,
      held_until: scheduledAt?.toISOString() ?? null,
      counted_at: null,
      expires_at: new Date(leavesAt.getTime() + expiresInSeconds * 1000).toISOString(),
      delivered_at: null,
      content_erased_at: null,
      suppression_override: override,
      late_bounce: null,
      complaint: null,
      erased_at: null,
    };
  });
  const inHeader = (of: Recipient['role']): string =>
    JSON.stringify(recipients.flatMap(({ address, role }) => (role === of ? [withNormalDomain(address)] : [])));
  return {
    rows,
    attachments: attachments === undefined ? undefined : { contentId: firstId, contents },
    shared: isAlone
      ? undefined
      : { id: firstId, to_recipients: inHeader('to'), cc_recipients: inHeader('cc'), ...content },
  };
}

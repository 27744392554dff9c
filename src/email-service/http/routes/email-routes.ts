import type { FastifyRequest } from 'fastify';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { accountOf, domainOf, marksOf, refuseMissingScopes, callerOf } from '../../auth/authentication.ts';
import { mailAddressFault, splitAddress, withNormalDomain } from '../../../lib/mail-rules/mail-address-fault.ts';
import { CONTENT_BYTES_MAX, contentSizeFault, SUBJECT_CHARACTERS_MAX } from '../../../lib/mail-rules/text-faults.ts';
import { suppressedBounce } from '../../delivery/classify-bounce.ts';
import { messageHeaderFaults } from '../../delivery/message-header-faults.ts';
import { createTurns } from '../../../lib/timing/turns.ts';
import { createRequestWaits } from '../../../lib/http/request-waits.ts';
import { faultAt, ProblemError, refusal, refuseIfAny, type FieldError } from '../../../lib/http/problem.ts';
import { notFound } from '../not-found.ts';
import { refuseAccountsThatMayNotSend, tooManyEmails } from '../may-send.ts';
import { newId } from '../../resources/resource-ids.ts';
import { EventType } from '../../resources/event.ts';
import { maySend } from '../../resources/domain.ts';
import { EmailResource, emailResource } from '../../resources/email.ts';
import { problemResponses } from '../schemas/problem.ts';
import { IdParams, lines, oneLine, tag, texts } from '../schemas/request-fields.ts';
import { Word } from '../../resources/wire-types.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';
import { findEmail, insertEmail, type ReadableEmails } from '../../store/emails.ts';
import type { ErasureMarks } from '../../store/erasure-marks.ts';
import type { StoreTransaction } from '../../store/open-store.ts';
import { recordEvent } from '../../store/events.ts';
import { addToOutbox, deliverEmailStart, type FirstAttempt } from '../../store/outbox.ts';
import type { EmailTable } from '../../store/schema.ts';
import { suppressionOf } from '../../store/suppressions.ts';
import { countEmail, exceedsLimit, readCounts, usesOf } from '../../store/sending-limits.ts';
import { rateLimitFields } from '../../resources/sending-limits.ts';
import { findSenderWithDomain, type SenderWithDomain } from '../../store/senders.ts';

/** JSON escapes such as `\u00e4` take six bytes for a character of one or two. */
const JSON_ESCAPE_BYTES = 6;
/** Text and HTML, fully escaped, and all other fields at their longest. */
const REQUEST_BYTES_MAX = JSON_ESCAPE_BYTES * (2 * CONTENT_BYTES_MAX + 100_000);
/** With the longest name and the colon, still within one line of 998 octets. */
const HEADER_VALUE_LENGTH_MAX = 900;
/** Each is two more rows of an index. */
const TAGS_MAX = 10;
const EXPIRES_IN_SECONDS = { least: 60, most: 7 * 86_400, otherwise: 86_400 };

const EmailRequest = Type.Object(
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
    expires_in: Type.Optional(
      Type.Integer({
        minimum: EXPIRES_IN_SECONDS.least,
        maximum: EXPIRES_IN_SECONDS.most,
        description: `Seconds until an undelivered email bounces; ${EXPIRES_IN_SECONDS.otherwise} by default.`,
      }),
    ),
  },
  { additionalProperties: false },
);
type EmailRequest = Static<typeof EmailRequest>;

const EmailAccepted = Type.Object(
  { id: Type.String(), status: Word(['queued']) },
  { description: 'The email is stored and will be delivered.' },
);

/** Of each account, so that one that sends many leaves the processor and the database's connections to others; more would only wait for its count. */
const ACCEPTED_AT_ONCE = 2;
const WAIT_SECONDS_MAX = 10;
/** A request that waits costs a connection, and a query each time that it looks for an attempt of another process. */
const REQUESTS_WAITING_MAX = 100;
const POLL_INTERVAL_MS = 200;

export function emailRoutes(app: EmailServiceApp, parts: ServiceParts): void {
  const { store, sealer, settings, background, now, createOnce } = parts;
  const turns = createTurns(ACCEPTED_AT_ONCE);
  const waits = createRequestWaits(app, { secondsMax: WAIT_SECONDS_MAX, requestsMax: REQUESTS_WAITING_MAX });

  app.post(
    '/emails',
    {
      bodyLimit: REQUEST_BYTES_MAX,
      onRequest: refuseAccountsThatMayNotSend(app, parts),
      config: {
        access: { scope: 'send' },
        idempotencyKey: 'required',
        waits: `wait=N (RFC 7240): answer after the first attempt to deliver the email, or after N seconds, at most ${String(WAIT_SECONDS_MAX)}, with the email as it then is. A repeat waits in the same way. Preference-Applied says that it was done.`,
      },
      schema: {
        operationId: 'sendEmail',
        summary: 'Send an email; 202 means that it is stored, not delivered',
        body: EmailRequest,
        response: {
          // The email first: it has the fields of the other one.
          202: Type.Union([EmailResource, EmailAccepted]),
          ...problemResponses(
            'withBody',
            'idempotency_key_required',
            'account_paused',
            'domain_not_verified',
            'too_many_emails',
          ),
        },
      },
    },
    async (request, reply) => {
      const readable = readableBy(request);
      const endTurn = await turns.begin(readable.accountId);
      let counted: Awaited<ReturnType<typeof countEmail>> | undefined;
      const accepted = await createOnce<Static<typeof EmailAccepted>>(request, reply, () => {
        const { accountId } = readable;
        refuseIfAny(contentFaults(request.body));
        refuseOverride(request);
        const marks = marksOf(sealer, request);
        let begins: readonly FirstAttempt[] = [];
        return {
          async create(transaction) {
            const sender = await usableSender(transaction, { ...readable, marks }, request.body);
            const row = newEmail(accountId, sender, request.body, now());
            await insertEmail(transaction, row);
            const claimed = background.makesFirstAttempts;
            if (row.status === 'bounced') {
              const resource = emailResource(row, []);
              const bounced = {
                accountId,
                type: EventType.emailBounced,
                emailId: row.id,
                resource,
                now: now(),
                claimed,
              };
              ({ posts: begins } = await recordEvent(transaction, bounced));
            } else {
              const start = deliverEmailStart(row.id);
              await addToOutbox(transaction, start, now(), { claimed });
              begins = [{ start, accountId, destination: splitAddress(row.recipient).domain }];
            }
            counted = await countEmail(transaction, accountId, settings.sendingLimits);
            return { status: 202, body: { id: row.id, status: 'queued' }, emailId: row.id };
          },
          afterCommit: () => {
            begins.forEach(background.begin);
          },
        };
      })
        .catch(async (error: unknown) => {
          if (!exceedsLimit(error)) throw error;
          throw tooManyEmails(usesOf(await readCounts(store, readable.accountId), settings.sendingLimits));
        })
        .finally(endTurn);
      // A repetition is not counted.
      if (counted !== undefined) {
        const [counts] = await counted.answer;
        reply.headers(rateLimitFields(usesOf(counts, settings.sendingLimits)));
      }
      const waited = await waits(request, reply, (signal) => {
        // The content is stored; a request that waits must not hold megabytes.
        (request as FastifyRequest).body = undefined;
        return afterFirstAttempt(parts, { readable, emailId: accepted.id, signal });
      });
      return waited === undefined ? accepted : emailResource(waited.email, waited.attempts);
    },
  );

  app.get(
    '/emails/:id',
    {
      config: { access: { scope: 'read' } },
      schema: {
        operationId: 'getEmail',
        summary: 'Get an email with all its delivery attempts',
        params: IdParams,
        response: { 200: EmailResource, ...problemResponses('withoutBody', 'not_found') },
      },
    },
    async (request) => {
      const { id } = request.params;
      const found = await findEmail(store, readableBy(request), id);
      if (found === undefined) throw notFound('email', id);
      return emailResource(found.email, found.attempts);
    },
  );
}

const readableBy = (request: FastifyRequest): ReadableEmails => ({
  accountId: accountOf(request),
  domainId: domainOf(request),
});

/** The email after its first attempt, or when the signal aborts. */
async function afterFirstAttempt(
  { store, background }: ServiceParts,
  { readable, emailId, signal }: { readable: ReadableEmails; emailId: string; signal: AbortSignal },
): ReturnType<typeof findEmail> {
  const own = background.firstAttemptEnded(deliverEmailStart(emailId).workflowId);
  if (own !== undefined && !signal.aborted) await Promise.race([own, once(signal, 'abort')]);
  for (;;) {
    const found = await findEmail(store, readable, emailId);
    const isOver = found?.email.status !== 'queued' || found.attempts.some(({ outcome }) => outcome !== 'started');
    if (isOver || signal.aborted) return found;
    // Another process may make the attempt.
    await pause(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}

function contentFaults({ recipient, body, html = '', headers = {} }: EmailRequest): readonly FieldError[] {
  return [
    ...faultAt('/recipient', mailAddressFault(recipient)),
    ...faultAt('/body', contentSizeFault(body)),
    ...faultAt('/html', contentSizeFault(html)),
    ...messageHeaderFaults(headers, '/headers'),
  ];
}

/** An override risks the reputation of all that send from here, so the right to send is not enough. */
function refuseOverride(request: FastifyRequest & { body: EmailRequest }): void {
  const caller = callerOf(request);
  if (request.body.suppression_override === undefined || caller.kind === 'operator') return;
  refuseMissingScopes(caller.scopes, ['manage'], 'suppression_override');
}

async function usableSender(
  transaction: StoreTransaction,
  { accountId, domainId: boundTo, marks }: ReadableEmails & { readonly marks: ErasureMarks | undefined },
  { sender_id: senderId, recipient }: EmailRequest,
): Promise<SenderWithDomain> {
  const sender = await findSenderWithDomain(transaction, accountId, { senderId, recipient, marks });
  if (sender === undefined || (boundTo !== undefined && sender.domain_id !== boundTo)) {
    const scope = boundTo === undefined ? 'This account' : `The domain ${boundTo}, which this API key is bound to,`;
    const detail = `${scope} has no sender with the id ${JSON.stringify(senderId)}. Create one with POST /senders.`;
    throw refusal([{ pointer: '/sender_id', code: 'sender_not_found', detail }]);
  }
  const { domain_id: domainId, domain_name: domain } = sender;
  if (sender.domain_deleted_at !== null) {
    const detail = `The domain ${domain} of this sender was deleted. Register and verify the domain, then create the sender again.`;
    throw new ProblemError('domain_not_verified', detail);
  }
  if (!maySend(sender.domain_status)) {
    const detail = `The domain ${domain} of this sender is not verified. GET /domains/${domainId} shows which records to publish; POST /domains/${domainId}/verify checks them.`;
    throw new ProblemError('domain_not_verified', detail);
  }
  return sender;
}

function newEmail(accountId: string, sender: SenderWithDomain, request: EmailRequest, now: Date): EmailTable {
  const id = newId('eml');
  const { recipient, subject, body, html = null, headers = {}, metadata = {}, tags = [] } = request;
  const { expires_in: expiresInSeconds = EXPIRES_IN_SECONDS.otherwise, suppression_override: override = null } =
    request;
  const suppressed = suppressionOf(sender, override);
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
    expires_at: new Date(now.getTime() + expiresInSeconds * 1000).toISOString(),
    delivered_at: null,
    content_erased_at: null,
    suppression_override: override,
    late_bounce: null,
    complaint: null,
    erased_at: null,
  };
}

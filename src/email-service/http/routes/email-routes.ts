import type { FastifyRequest } from 'fastify';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { callerOf, marksOf, readableBy, refuseMissingScopes } from '../../auth/authentication.ts';
import { splitAddress } from '../../../lib/mail-rules/mail-address-fault.ts';
import { createTurns } from '../../../lib/timing/turns.ts';
import { createRequestWaits } from '../../../lib/http/request-waits.ts';
import { ProblemError, refusal, refuseIfAny } from '../../../lib/http/problem.ts';
import { notFound } from '../not-found.ts';
import { refuseAccountsThatMayNotSend, tooManyEmails } from '../may-send.ts';
import { EventType } from '../../resources/event.ts';
import { maySend } from '../../resources/domain.ts';
import { EmailResource, emailResource } from '../../resources/email.ts';
import { contentFaults, EmailRequest, newEmail, REQUEST_BYTES_MAX } from '../schemas/email-request.ts';
import { problemResponses } from '../schemas/problem.ts';
import { IdParams } from '../schemas/request-fields.ts';
import { Word } from '../../resources/wire-types.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';
import { findEmail, insertEmail, type ReadableEmails } from '../../store/emails.ts';
import type { ErasureMarks } from '../../store/erasure-marks.ts';
import type { StoreTransaction } from '../../store/open-store.ts';
import { recordEvent } from '../../store/events.ts';
import { addToOutbox, deliverEmailStart, type FirstAttempt } from '../../store/outbox.ts';
import { countEmail, exceedsLimit, readCounts, usesOf } from '../../store/sending-limits.ts';
import { rateLimitFields } from '../../resources/sending-limits.ts';
import { findSenderWithDomain, type SenderWithDomain } from '../../store/senders.ts';

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
        refuseIfAny(contentFaults(request.body, now()));
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
            } else if (row.held_until === null) {
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
      // Its first attempt is not awaited.
      if (request.body.scheduled_at !== undefined) return accepted;
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

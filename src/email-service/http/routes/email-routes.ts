import type { FastifyRequest } from 'fastify';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { readableBy } from '../../auth/authentication.ts';
import { createRequestWaits } from '../../../lib/http/request-waits.ts';
import { refuseIfAny } from '../../../lib/http/problem.ts';
import { base64Length } from '../../delivery/attached-contents.ts';
import type { AnswerHead } from '../../idempotency/idempotency.ts';
import { awaitTurnOfLargeBodies } from '../large-bodies.ts';
import { notFound } from '../not-found.ts';
import { type AcceptedEmails, acceptEmails, refuseOverride } from '../accept-emails.ts';
import { type CountAll, createSendingTurns, tooManyEmails } from '../sending-turns.ts';
import { EmailResource, emailResource } from '../../resources/email.ts';
import { attachmentsSizeFaults, takeContents } from '../schemas/attachments.ts';
import {
  batchFaults,
  EmailBatch,
  emailFaults,
  EmailRequest,
  type EmailToAccept,
  recipientsOf,
  REQUEST_BYTES_MAX,
} from '../schemas/email-request.ts';
import { problemResponses } from '../schemas/problem.ts';
import { IdParams } from '../schemas/request-fields.ts';
import { Word } from '../../resources/wire-types.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';
import { findEmail, type ReadableEmails } from '../../store/emails.ts';
import { deliverEmailStart } from '../../store/outbox.ts';
import { exceedsLimit, readCounts, usesOf } from '../../store/sending-limits.ts';
import { rateLimitFields } from '../../resources/sending-limits.ts';

export const EmailAccepted = Type.Object(
  {
    id: Type.String({ description: 'Of several recipients, of the email to the first one.' }),
    status: Word(['queued']),
    ids: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Of several recipients: the id of the email to each, in the order of recipient, cc and bcc.',
      }),
    ),
  },
  {
    description:
      'The email is stored. The status is that of the request: a suppressed recipient bounces at once, as GET /emails/{id} shows.',
  },
);

type EmailAccepted = Static<typeof EmailAccepted>;

const BatchAccepted = Type.Object(
  { emails: Type.Array(EmailAccepted) },
  { description: 'All emails are stored; in the order of the request.' },
);

/** Of one email and of a batch. */
const refusals = problemResponses(
  'withBody',
  'idempotency_key_required',
  'account_paused',
  'domain_not_verified',
  'too_many_emails',
  'too_many_large_requests',
);

const acceptedAs = ([id = '', ...others]: readonly string[]): EmailAccepted => ({
  ...{ id, status: 'queued' },
  ...(others.length === 0 ? {} : { ids: [id, ...others] }),
});

const WAIT_SECONDS_MAX = 10;
/** A request that waits costs a connection, and a query each time that it looks for an attempt of another process. */
const REQUESTS_WAITING_MAX = 100;
const POLL_INTERVAL_MS = 200;

export function emailRoutes(app: EmailServiceApp, parts: ServiceParts): void {
  const { store, settings, background, now, createOnce } = parts;
  const waits = createRequestWaits(app, { secondsMax: WAIT_SECONDS_MAX, requestsMax: REQUESTS_WAITING_MAX });

  const sendingTurns = createSendingTurns(app, parts);
  const onRequest = [sendingTurns.awaitTurn, awaitTurnOfLargeBodies(app, parts)];
  const bodyLimit = REQUEST_BYTES_MAX + base64Length(settings.attachmentBytesMax);

  function refuseInvalid(request: FastifyRequest, emails: readonly EmailToAccept[]): void {
    const contents = emails.flatMap((email) => email.contents);
    const attachmentsAt = emails[0]?.pointer === '' ? '/attachments' : '/emails';
    refuseIfAny([
      ...emails.flatMap((email) => emailFaults(email, now())),
      ...attachmentsSizeFaults(contents, settings.attachmentBytesMax, attachmentsAt),
    ]);
    for (const email of emails) refuseOverride(request, email.request);
  }

  /** Accepts all, or none. @param answer from what each is answered */
  async function accept<Body extends object>(
    request: FastifyRequest,
    reply: AnswerHead & { headers(fields: Readonly<Record<string, string>>): unknown },
    asked: readonly Omit<EmailToAccept, 'contents'>[],
    answer: (accepted: readonly [EmailAccepted, ...EmailAccepted[]]) => Body,
  ): Promise<Body> {
    const { accountId } = readableBy(request);
    // Not in the handler, which may wait after this: contents are megabytes.
    const emails = asked.map((each) => ({ ...each, contents: takeContents(each.request, request.heldContents) }));
    const count = emails.reduce((sum, email) => sum + recipientsOf(email.request).length, 0);
    let made: AcceptedEmails | undefined;
    const acceptOnce = (countAll: CountAll) =>
      createOnce<Body>(request, reply, () => {
        refuseInvalid(request, emails);
        countAll(count);
        return {
          async create(transaction) {
            made = await acceptEmails(parts, transaction, request, emails);
            const [first = [], ...others] = made.ids;
            return { status: 202, body: answer([acceptedAs(first), ...others.map(acceptedAs)]), emailId: made.keptFor };
          },
          afterCommit: () => made?.begins.forEach(background.begin),
        };
      });
    const body = await sendingTurns
      .acceptAlone(request, acceptOnce)
      .catch(async (error: unknown) => {
        if (!exceedsLimit(error)) throw error;
        throw tooManyEmails(usesOf(await readCounts(store, accountId), settings.sendingLimits), count);
      })
      .finally(() => {
        request.heldContents = null;
        request.endLargeBody?.();
      });
    // A repetition is not counted.
    if (made !== undefined) {
      const [counts] = await made.counted.answer;
      reply.headers(rateLimitFields(usesOf(counts, settings.sendingLimits)));
    }
    return body;
  }

  app.post(
    '/emails',
    {
      bodyLimit,
      onRequest,
      config: {
        access: { scope: 'send' },
        idempotencyKey: 'required',
        attachments: true,
        waits: `wait=N (RFC 7240): answer after the first attempt to deliver the email, or after N seconds, at most ${String(WAIT_SECONDS_MAX)}, with the email as it then is. A repeat waits in the same way. Preference-Applied says that it was done.`,
      },
      schema: {
        operationId: 'sendEmail',
        summary: 'Send an email; 202 means that it is stored, not delivered',
        body: EmailRequest,
        response: {
          // The email first: it has the fields of the other one.
          202: Type.Union([EmailResource, EmailAccepted]),
          ...refusals,
        },
      },
    },
    async (request, reply) => {
      const readable = readableBy(request);
      const accepted = await accept(request, reply, [{ request: request.body, pointer: '' }], ([email]) => email);
      // An email that leaves later is not awaited, nor are several.
      if (request.body.scheduled_at !== undefined || accepted.ids !== undefined) return accepted;
      const waited = await waits(request, reply, (signal) => {
        // The content is stored; a request that waits must not hold megabytes.
        (request as FastifyRequest).body = undefined;
        return afterFirstAttempt(parts, { readable, emailId: accepted.id, signal });
      });
      return waited === undefined ? accepted : emailResource(waited.email, waited.attempts, waited.email);
    },
  );

  app.post(
    '/emails/batch',
    {
      bodyLimit,
      onRequest,
      config: { access: { scope: 'send' }, idempotencyKey: 'required', attachments: true },
      schema: {
        operationId: 'sendEmails',
        summary: 'Send up to 100 emails, all or none; 202 means that they are stored, not delivered',
        body: EmailBatch,
        response: {
          202: BatchAccepted,
          ...refusals,
        },
      },
    },
    async (request, reply) => {
      const emails = request.body.emails.map((each, index) => ({ request: each, pointer: `/emails/${String(index)}` }));
      refuseIfAny(batchFaults(request.body));
      return accept(request, reply, emails, (accepted) => ({ emails: [...accepted] }));
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
      return emailResource(found.email, found.attempts, { ...found.email, recipients: found.recipients });
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

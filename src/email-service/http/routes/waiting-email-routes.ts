import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { faultAt, ProblemError, refuseIfAny } from '../../../lib/http/problem.ts';
import { readIdempotencyKey } from '../../../lib/http/read-idempotency-key.ts';
import { readableBy } from '../../auth/authentication.ts';
import { Bounce } from '../../resources/email.ts';
import { Timestamp, Word } from '../../resources/wire-types.ts';
import { cancelEmail, postponeEmail } from '../../store/scheduled-emails.ts';
import { notFound } from '../not-found.ts';
import { MOVED_TO, movedTimeFault, scheduledTimeFault } from '../scheduled-time.ts';
import { problemResponses } from '../schemas/problem.ts';
import { IdParams } from '../schemas/request-fields.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';

const CancelledEmail = Type.Object(
  { id: Type.String(), status: Word(['bounced']), bounce: Bounce },
  {
    description:
      'The email was cancelled, by this request or an earlier one. Nothing of it was sent, and nothing will be.',
  },
);

const EmailChange = Type.Object(
  { scheduled_at: Type.String({ format: 'date-time', description: `When the email leaves: ${MOVED_TO}` }) },
  { additionalProperties: false },
);

const ScheduledEmail = Type.Object(
  { id: Type.String(), status: Word(['queued']), scheduled_at: Timestamp },
  { description: 'The email waits for this time. `expires_at` has moved with it.' },
);

/** What can still be done with an email before it leaves; also while its account is paused. */
export function waitingEmailRoutes(app: EmailServiceApp, { store, background, now }: ServiceParts): void {
  const asked = (request: FastifyRequest & { readonly params: { readonly id: string } }) => ({
    ...readableBy(request),
    ...{ id: request.params.id, now: now() },
  });

  app.post(
    '/emails/:id/cancel',
    {
      config: { access: { scope: 'send' } },
      schema: {
        operationId: 'cancelEmail',
        summary:
          'Cancel an email of which no attempt to deliver it has begun; it ends as bounced, with the category cancelled',
        params: IdParams,
        response: {
          200: CancelledEmail,
          ...problemResponses('withoutBody', 'not_found', 'email_not_waiting', 'idempotency_key_malformed'),
        },
      },
    },
    async (request) => {
      // Only validated: a repeat answers the same.
      readIdempotencyKey(request.headers['idempotency-key']);
      const { id } = request.params;
      const cancelled = await cancelEmail(store, { ...asked(request), claimed: background.makesFirstAttempts });
      if (cancelled === undefined) throw notFound('email', id);
      if (cancelled === 'left')
        throw new ProblemError(
          'email_not_waiting',
          `The email ${id} cannot be cancelled: an attempt to deliver it has begun, or it has its final status.`,
        );
      cancelled.posts.forEach(background.begin);
      return { id, status: 'bounced' as const, bounce: cancelled.bounce };
    },
  );

  app.patch(
    '/emails/:id',
    {
      config: { access: { scope: 'send' } },
      schema: {
        operationId: 'rescheduleEmail',
        summary: 'Change when a scheduled email leaves, before its time has come',
        params: IdParams,
        body: EmailChange,
        response: { 200: ScheduledEmail, ...problemResponses('withBody', 'not_found', 'email_not_waiting') },
      },
    },
    async (request) => {
      const { id } = request.params;
      const given = request.body.scheduled_at;
      refuseIfAny(faultAt('/scheduled_at', scheduledTimeFault(given, now())));
      const scheduledAt = new Date(given);
      const postponed = await postponeEmail(store, { ...asked(request), scheduledAt }, (createdAt) => {
        refuseIfAny(faultAt('/scheduled_at', movedTimeFault(given, createdAt)));
      });
      if (postponed === undefined) throw notFound('email', id);
      if (postponed === 'left')
        throw new ProblemError(
          'email_not_waiting',
          `The email ${id} does not wait for its scheduled_at: that time has come, it has none, or the email has its final status.`,
        );
      return { id, status: 'queued' as const, scheduled_at: scheduledAt.toISOString() };
    },
  );
}

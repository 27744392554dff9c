import type { OnboardingView } from '../../../client/onboarding/onboarding-view.ts';
import type { UpdateOutcome } from '../../../client/onboarding/run-update.ts';
import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { unavailable } from '../../../lib/http/problem-replies.ts';
import { readIdempotencyKey } from '../../../lib/http/read-idempotency-key.ts';
import { audit } from '../../audit.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import { noOnboarding } from '../../no-onboarding.ts';
import {
  AuditRequest,
  CheckBegun,
  DomainReportSchema,
  Extended,
  ExtendRequest,
} from '../../schemas/onboarding-changes.ts';
import { TenantParams } from '../../schemas/onboarding.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';

const NO_WORKER =
  'No Worker of the onboardings answers, so the request was not sent to the onboarding. Start one with: sendoff worker';

/** Changes that a running Workflow makes itself, so a Worker must answer. */
export function onboardingUpdateRoutes(
  app: HttpApp,
  { onboardings, views, register }: Pick<HttpDependencies, 'onboardings' | 'views' | 'register'>,
): void {
  app.post(
    '/onboardings/:tenantId/check-now',
    {
      schema: {
        operationId: 'checkNow',
        summary: 'Check the DNS of a waiting tenant now, and return what is still missing',
        description:
          'A check that takes longer than ten seconds, as at a provider that does not answer, is answered 202: it goes on, and the onboarding shows its result. Requests within five seconds, or until the result, share one check. An onboarding may have 30 checks at once and one more each hour.',
        params: TenantParams,
        body: AuditRequest,
        response: {
          200: DomainReportSchema,
          202: CheckBegun,
          ...problemResponses('withBody', 'not_found', 'update_refused', 'too_many_checks', 'no_worker_answered'),
        },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.params;
      const { checkedAt } = await requireOnboarding(tenantId);
      const { by } = request.body ?? {};
      const outcome = await onboardings.checkNow(tenantId, () =>
        audit(request, register, tenantId, { request: 'check_now', by }),
      );
      if (outcome.kind !== 'begun') return resultOf(tenantId, outcome);
      const detail = `The check has begun, and the provider or a name server has not answered yet. It goes on: see its result, or why it fails, with: sendoff status ${tenantId}`;
      return reply.code(202).send({ tenantId, check: 'begun', checkedAt, detail });
    },
  );

  app.post(
    '/onboardings/:tenantId/extend',
    {
      schema: {
        operationId: 'extendVerification',
        summary: 'Extend the verification window of a waiting tenant',
        description:
          'Extends once for each Idempotency-Key. Without one, a repetition with the same hours extends once until the deadline has moved.',
        params: TenantParams,
        body: ExtendRequest,
        response: {
          200: Extended,
          ...problemResponses(
            'withBody',
            'not_found',
            'update_refused',
            'no_worker_answered',
            'idempotency_key_malformed',
          ),
        },
      },
    },
    async (request) => {
      const { hours, by, reason } = request.body;
      const { tenantId } = request.params;
      const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
      await requireOnboarding(tenantId);
      // The Event History keeps it, too.
      const extension = { hours, reason, by: `${by} (API token ${request.apiTokenName})` };
      const beforeSending = () => audit(request, register, tenantId, { request: 'extend', hours, reason, by });
      const outcome = await onboardings.extend(tenantId, extension, { idempotencyKey, beforeSending });
      const { verificationDeadline } = resultOf(tenantId, outcome);
      return { tenantId, deadline: verificationDeadline };
    },
  );

  const requireOnboarding = async (tenantId: string): Promise<OnboardingView> =>
    (await views.get(tenantId)) ?? noOnboarding(tenantId);
}

function resultOf<Result>(tenantId: string, outcome: UpdateOutcome<Result>): Result {
  switch (outcome.kind) {
    case 'done':
      return outcome.result;
    case 'refused':
      throw new ProblemError('update_refused', sentence(outcome.reason));
    case 'tooSoon':
      throw new ProblemError('too_many_checks', sentence(outcome.reason), {
        retryAfterSeconds: Math.max(1, Math.ceil(outcome.waitMs / 1_000)),
      });
    case 'notRunning':
      throw new ProblemError('update_refused', 'The onboarding has ended.');
    case 'failed':
      throw unavailable(`The check failed: ${sentence(outcome.reason)}`);
    case 'unreachable':
      throw unavailable('Temporal cannot be reached.');
    case 'noWorker':
      throw new ProblemError('no_worker_answered', NO_WORKER);
    case 'unanswered':
    case 'begun':
      throw new ProblemError(
        'no_worker_answered',
        `A Worker is running, but the onboarding has not executed the request in time, and may still do so. See what it waits for with: sendoff status ${tenantId}`,
      );
  }
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

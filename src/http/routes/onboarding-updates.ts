import type { UpdateOutcome } from '../../client/updated.ts';
import type { HttpApp } from '../../lib/http/create-http-app.ts';
import { ProblemError } from '../../lib/http/problem.ts';
import { unavailable } from '../../lib/http/problem-replies.ts';
import { audit } from '../audit.ts';
import type { HttpDependencies } from '../dependencies.ts';
import { noOnboarding } from '../no-onboarding.ts';
import { AuditRequest, DomainReportSchema, Extended, ExtendRequest, TenantParams } from '../schemas/onboarding.ts';
import { problemResponses } from '../schemas/problem-responses.ts';

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
        description: 'Answers within about a minute. Requests within five seconds share one check.',
        params: TenantParams,
        body: AuditRequest,
        response: {
          200: DomainReportSchema,
          ...problemResponses('withBody', 'not_found', 'update_refused', 'no_worker_answered'),
        },
      },
    },
    async (request) => {
      const { tenantId } = request.params;
      await requireWorker(tenantId);
      await audit(request, register, tenantId, { request: 'check_now', by: request.body?.by });
      return resultOf(await onboardings.checkNow(tenantId));
    },
  );

  app.post(
    '/onboardings/:tenantId/extend',
    {
      schema: {
        operationId: 'extendVerification',
        summary: 'Extend the verification window of a waiting tenant',
        params: TenantParams,
        body: ExtendRequest,
        response: {
          200: Extended,
          ...problemResponses('withBody', 'not_found', 'update_refused', 'no_worker_answered'),
        },
      },
    },
    async (request) => {
      const { hours, by, reason } = request.body;
      const { tenantId } = request.params;
      await requireWorker(tenantId);
      await audit(request, register, tenantId, { request: 'extend', hours, reason, by });
      // The Event History keeps it, too.
      const extension = { hours, reason, by: `${by} (API token ${request.apiTokenName})` };
      const { verificationDeadline } = resultOf(await onboardings.extend(tenantId, extension));
      return { tenantId, deadline: verificationDeadline };
    },
  );

  /** An Update without a Worker would wait for its whole time. */
  async function requireWorker(tenantId: string): Promise<void> {
    const { temporal } = (await views.get(tenantId)) ?? noOnboarding(tenantId);
    if (!temporal.reachable) throw unavailable('Temporal cannot be reached.');
    if (temporal.workers === 'none') throw unanswered();
  }
}

function resultOf<Result>(outcome: UpdateOutcome<Result>): Result {
  switch (outcome.kind) {
    case 'done':
      return outcome.result;
    case 'refused':
      throw new ProblemError('update_refused', sentence(outcome.reason));
    case 'notRunning':
      throw new ProblemError('update_refused', 'The onboarding has ended.');
    case 'failed':
      throw unavailable(`The check failed: ${sentence(outcome.reason)}`);
    case 'unanswered':
      throw unanswered();
  }
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

const unanswered = (): ProblemError =>
  new ProblemError('no_worker_answered', 'No Worker of the onboardings answered. Start one with: sendoff worker');

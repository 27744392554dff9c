import type { Static } from 'typebox';
import type { Onboardings, OnboardingView, StartOutcome } from '../../client/onboardings.ts';
import type { HttpApp } from '../../lib/http/create-http-app.ts';
import { ProblemError } from '../../lib/http/problem.ts';
import { CONTENT_BYTES_MAX } from '../../lib/mail-rules/text-faults.ts';
import { validateOnboarding } from '../validate-onboarding.ts';
import { throwFieldErrors } from '../throw-field-errors.ts';
import { OnboardingRequest, OnboardingViewSchema, TenantParams } from '../schemas/onboarding.ts';
import { problemResponses } from '../schemas/problem-responses.ts';

/** The largest text with every byte escaped, as in `\\u000a`, and all other fields. */
const BODY_BYTES_MAX = 6 * CONTENT_BYTES_MAX + 100_000;

const view = OnboardingViewSchema.ref;

export function onboardingRoutes(app: HttpApp, onboardings: Onboardings): void {
  app.put(
    '/onboardings/:tenantId',
    {
      bodyLimit: BODY_BYTES_MAX,
      schema: {
        operationId: 'startOnboarding',
        summary: 'Onboard a tenant',
        description: '201: started. 200: an onboarding with the same input exists, running or successful.',
        params: TenantParams,
        body: OnboardingRequest,
        response: { 200: view, 201: view, ...problemResponses('withBody', 'onboarding_differs') },
      },
    },
    async ({ params, body }, reply) => {
      const outcome = await onboardings.start(readInput(params.tenantId, body));
      reply.status(outcome.kind === 'started' ? 201 : 200);
      return viewOf(outcome);
    },
  );

  app.post(
    '/onboardings/:tenantId/restart',
    {
      bodyLimit: BODY_BYTES_MAX,
      schema: {
        operationId: 'restartOnboarding',
        summary: 'Start a new onboarding for a tenant whose last one has ended',
        params: TenantParams,
        body: OnboardingRequest,
        response: { 200: view, 201: view, ...problemResponses('withBody', 'onboarding_differs', 'not_found') },
      },
    },
    async ({ params, body }, reply) => {
      const { tenantId } = params;
      const outcome = (await onboardings.restart(readInput(tenantId, body))) ?? noOnboarding(tenantId);
      reply.status(outcome.kind === 'started' ? 201 : 200);
      return viewOf(outcome);
    },
  );

  app.get(
    '/onboardings/:tenantId',
    {
      schema: {
        operationId: 'getOnboarding',
        summary: 'The state of an onboarding',
        params: TenantParams,
        response: { 200: view, ...problemResponses('withoutBody', 'not_found') },
      },
    },
    async ({ params: { tenantId } }) => (await onboardings.get(tenantId)) ?? noOnboarding(tenantId),
  );

  app.post(
    '/onboardings/:tenantId/cancel',
    {
      schema: {
        operationId: 'cancelOnboarding',
        summary: 'Ask an onboarding to stop and to undo what it created',
        description:
          'The onboarding has stopped when `outcome` is `cancelled`. An onboarding that has already ended does not change.',
        params: TenantParams,
        response: { 202: view, ...problemResponses('withoutBody', 'not_found') },
      },
    },
    async ({ params: { tenantId } }, reply) => {
      reply.status(202);
      return (await onboardings.cancel(tenantId)) ?? noOnboarding(tenantId);
    },
  );
}

function viewOf(outcome: StartOutcome): OnboardingView {
  if (outcome.kind !== 'different') return outcome.view;
  const { workflowId, fields } = outcome;
  throw new ProblemError(
    'onboarding_differs',
    `${workflowId} was started with another input; it differs in ${fields.join(', ')}. Once it has ended, POST to its /restart to start another one.`,
    { fields },
  );
}

function noOnboarding(tenantId: string): never {
  throw new ProblemError('not_found', `Tenant ${JSON.stringify(tenantId)} has no onboarding.`);
}

function readInput(tenantId: string, body: Static<typeof OnboardingRequest>) {
  const { input, faults } = validateOnboarding({ ...body, tenantId });
  throwFieldErrors(faults);
  return input;
}

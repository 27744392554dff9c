import type { Static } from 'typebox';
import type { StartOutcome } from '../../../client/onboarding/start-onboarding.ts';
import type { OnboardingView } from '../../../client/onboarding/onboarding-view.ts';
import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { unavailable } from '../../../lib/http/problem-replies.ts';
import { CONTENT_BYTES_MAX } from '../../../lib/mail-rules/text-faults.ts';
import { audit } from '../../audit.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import { noOnboarding } from '../../no-onboarding.ts';
import { validateOnboarding } from '../../validate-onboarding.ts';
import { isTemporalUnreachable } from '../../temporal-problem.ts';
import { throwFieldErrors } from '../../throw-field-errors.ts';
import { AuditRequest, RestartRequest } from '../../schemas/onboarding-changes.ts';
import { OnboardingRequest, OnboardingViewSchema, TenantParams } from '../../schemas/onboarding.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';

/** The largest text with every byte escaped, as in `\\u000a`, and all other fields. */
const BODY_BYTES_MAX = 6 * CONTENT_BYTES_MAX + 100_000;

/** An undo ends within seconds unless the provider is away. */
const UNDO_RETRY_SECONDS = 10;

const view = OnboardingViewSchema.ref;

/** Starts, shows and cancels onboardings. */
export function onboardingRoutes(
  app: HttpApp,
  {
    onboardings,
    views,
    register,
    ...names
  }: Pick<HttpDependencies, 'onboardings' | 'views' | 'register' | 'allowReservedNames'>,
): void {
  const existing = async (tenantId: string): Promise<OnboardingView> =>
    (await views.get(tenantId).catch(unknownWithoutTemporal(tenantId))) ?? noOnboarding(tenantId);

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
        response: { 200: view, 201: view, ...problemResponses('withBody', 'onboarding_differs', 'onboarding_undoing') },
      },
    },
    async ({ params, body }, reply) => {
      const outcome = await onboardings.start(readInput(params.tenantId, body, names));
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
        body: RestartRequest,
        response: {
          200: view,
          201: view,
          ...problemResponses('withBody', 'onboarding_differs', 'onboarding_undoing', 'not_found'),
        },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.params;
      const { by, ...body } = request.body;
      const input = readInput(tenantId, body, names);
      await existing(tenantId);
      await audit(request, register, tenantId, { request: 'restart', by });
      const outcome = await onboardings.restart(input);
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
    async ({ params: { tenantId } }) => existing(tenantId),
  );

  app.post(
    '/onboardings/:tenantId/cancel',
    {
      schema: {
        operationId: 'cancelOnboarding',
        summary: 'Ask an onboarding to stop and to undo what it created',
        description:
          'The onboarding has stopped when `stage` is `undoing`, and its undo has ended when `outcome` is `cancelled`. After the provider has accepted the first email, nothing is undone. An onboarding that has already ended or is undone does not change.',
        params: TenantParams,
        body: AuditRequest,
        response: { 202: view, ...problemResponses('withBody', 'not_found') },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.params;
      await existing(tenantId);
      await audit(request, register, tenantId, { request: 'cancel', by: request.body?.by });
      await onboardings.cancel(tenantId);
      reply.status(202);
      return existing(tenantId);
    },
  );

  async function viewOf(outcome: StartOutcome): Promise<OnboardingView> {
    if (outcome.kind === 'undoing') {
      const { tenantId, onboarding } = outcome.record;
      const end = onboarding.badEnd === null ? 'is ending' : `ended with ${onboarding.badEnd.type}`;
      throw new ProblemError(
        'onboarding_undoing',
        `The onboarding of ${tenantId} ${end}, and its undo is running since ${outcome.record.stageSince}. Start it again when the undo has ended.`,
        { retryAfterSeconds: UNDO_RETRY_SECONDS },
      );
    }
    if (outcome.kind !== 'different') return views.of(outcome.record);
    const { workflowId, fields } = outcome;
    throw new ProblemError(
      'onboarding_differs',
      `${workflowId} was started with another input; it differs in ${fields.join(', ')}. Once it has ended, POST to its /restart to start another one.`,
      { fields },
    );
  }
}

/** Only a tenant that the register does not have is looked up in Temporal. */
const unknownWithoutTemporal =
  (tenantId: string) =>
  (error: unknown): never => {
    if (!isTemporalUnreachable(error)) throw error;
    const tenant = JSON.stringify(tenantId);
    throw unavailable(
      `No onboarding of tenant ${tenant} is recorded, and Temporal, which may have one, cannot be reached.`,
    );
  };

function readInput(
  tenantId: string,
  body: Static<typeof OnboardingRequest>,
  names: Pick<HttpDependencies, 'allowReservedNames'>,
) {
  const { input, faults } = validateOnboarding({ ...body, tenantId }, names);
  throwFieldErrors(faults);
  return input;
}

import type { FastifyInstance } from 'fastify';
import { inputProblems, type OnboardTenantInput } from '../../onboarding/input.ts';
import type { HttpDependencies } from '../app.ts';
import { Problem } from '../problems.ts';

interface Tenant {
  Params: { tenantId: string };
}

export function onboardingRoutes(app: FastifyInstance, { onboardings }: Pick<HttpDependencies, 'onboardings'>): void {
  /** 201 started; 200 the same is already there; 409 another one is there; 422 what is wrong with the input. */
  app.put<Tenant>('/onboardings/:tenantId', async (request, reply) => {
    const input = readInput(request.params.tenantId, request.body);
    const outcome = await onboardings.start(input);
    if (outcome.kind === 'different') {
      const detail = `${outcome.workflowId} was started with another input; it differs in ${outcome.fields.join(', ')}`;
      throw new Problem('onboarding_differs', detail, { fields: outcome.fields });
    }
    return reply.status(outcome.kind === 'started' ? 201 : 200).send(outcome.view);
  });

  app.get<Tenant>('/onboardings/:tenantId', async (request) => {
    const { tenantId } = request.params;
    return (await onboardings.get(tenantId)) ?? thereIsNone(tenantId);
  });

  /** 202 the request is made, and the view tells whether it is carried out already; one that has ended stays as it is. */
  app.post<Tenant>('/onboardings/:tenantId/cancel', async (request, reply) => {
    const { tenantId } = request.params;
    return reply.status(202).send((await onboardings.cancel(tenantId)) ?? thereIsNone(tenantId));
  });
}

function thereIsNone(tenantId: string): never {
  throw new Problem('not_found', `There is no onboarding of tenant ${JSON.stringify(tenantId)}`);
}

function readInput(tenantId: string, body: unknown): OnboardTenantInput {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Problem(
      'invalid_input',
      'The request body must be a JSON object with domain, fromAddress and firstEmail',
    );
  }
  const errors =
    'tenantId' in body ? [{ field: 'tenantId', problem: 'belongs into the address, not into the body' }] : [];
  const input = { ...body, tenantId };
  errors.push(...inputProblems(input));
  if (errors.length > 0) {
    const detail = errors.map(({ field, problem }) => `${field} ${problem}`).join('; ');
    throw new Problem('invalid_input', detail, { errors });
  }
  return input as unknown as OnboardTenantInput;
}

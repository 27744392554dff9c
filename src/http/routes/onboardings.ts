import type { FastifyInstance, FastifyReply } from 'fastify';
import { CONTENT_BYTES_MAX } from '../../lib/mail-rules/text-faults.ts';
import type { OnboardTenantInput } from '../../onboarding/input.ts';
import type { HttpDependencies } from '../app.ts';
import type { StartOutcome } from '../../client/onboardings.ts';
import { Problem } from '../problems.ts';
import { readOnboarding } from '../read-onboarding.ts';
import { inAddress, objectBody, refuseInvalid } from './refuse-invalid.ts';

/** A text of the largest size in which a client escapes every byte, as in `\\u000a`, and all other fields. */
const BODY_BYTES_MAX = 6 * CONTENT_BYTES_MAX + 100_000;

interface Tenant {
  Params: { tenantId: string };
}

export function onboardingRoutes(app: FastifyInstance, { onboardings }: Pick<HttpDependencies, 'onboardings'>): void {
  /** 201 started; 200 the same is already there; 409 another one is there; 422 what is wrong with the input. */
  app.put<Tenant>('/onboardings/:tenantId', { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    const input = readInput(request.params.tenantId, request.body);
    return answerStart(reply, await onboardings.start(input));
  });

  /** As PUT, for a tenant whose onboarding has ended, however it ended; 404 for a tenant without one. */
  app.post<Tenant>('/onboardings/:tenantId/restart', { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
    const { tenantId } = request.params;
    const input = readInput(tenantId, request.body);
    return answerStart(reply, (await onboardings.restart(input)) ?? thereIsNone(tenantId));
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

function answerStart(reply: FastifyReply, outcome: StartOutcome): FastifyReply {
  if (outcome.kind === 'different') {
    const detail = `${outcome.workflowId} was started with another input; it differs in ${outcome.fields.join(', ')}. Once it has ended, POST its /restart starts another one`;
    throw new Problem('onboarding_differs', detail, { fields: outcome.fields });
  }
  return reply.status(outcome.kind === 'started' ? 201 : 200).send(outcome.view);
}

function thereIsNone(tenantId: string): never {
  throw new Problem('not_found', `There is no onboarding of tenant ${JSON.stringify(tenantId)}`);
}

function readInput(tenantId: string, body: unknown): OnboardTenantInput {
  const fields = objectBody(body, 'domain, fromAddress and firstEmail');
  const { input, problems } = readOnboarding({ ...fields, tenantId });
  refuseInvalid([...inAddress('tenantId', fields), ...problems]);
  return input;
}

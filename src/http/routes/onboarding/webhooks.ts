import { Type } from 'typebox';
import { signingSecretRef } from '../../../onboarding/onboarding-ids.ts';
import { getIssued } from '../../../store/issued-secret.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import { createWakeUps } from '../../../client/onboarding/wake-ups.ts';
import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { TenantParams } from '../../schemas/onboarding.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';
import { verifyWebhook } from '../../verify-webhook.ts';

/** Three times the 20 KB that the contract allows. */
const BODY_BYTES_MAX = 64_000;

/**
 * A webhook is only a wake-up: it wakes the Workflow, which then asks the provider. 204: accepted. 401: not signed with
 * the tenant's secret. 410: the onboarding has ended, so the provider may stop. In a step it is accepted
 * without asking Temporal: if the execution is missing, the sweep reports it, and a 410 would end webhooks that it needs once it is back.
 */
export function webhookReceiver(
  app: HttpApp,
  { onboardings, secrets }: Pick<HttpDependencies, 'onboardings' | 'secrets'>,
): void {
  const wakeUps = createWakeUps((tenantId, wakeUp) => onboardings.wakeUp(tenantId, wakeUp));
  // Fastify calls it after the last response; the Temporal connection closes later.
  app.addHook('onClose', () => wakeUps.close());

  // The signature covers the raw bytes.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });

  app.post(
    '/webhooks/:tenantId',
    {
      bodyLimit: BODY_BYTES_MAX,
      schema: {
        operationId: 'receiveWebhook',
        summary: "Receive a webhook of the provider, signed with the tenant's secret (Standard Webhooks)",
        security: [],
        params: TenantParams,
        response: {
          204: Type.Null({ description: 'The webhook was received.' }),
          ...problemResponses('withoutBody', 'invalid_signature', 'onboarding_gone', 'payload_too_large'),
        },
      },
    },
    async (request, reply) => {
      const { tenantId } = request.params;
      const issued = await getIssued(secrets, signingSecretRef(tenantId));
      // Not 410: the webhook may arrive before its secret is stored, so the provider must retry.
      if (issued === undefined)
        throw new ProblemError('invalid_signature', 'No webhook secret is stored for this tenant yet');
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const wakeUp = verifyWebhook({ body, headers: request.headers, signingSecret: issued.secret });
      if (wakeUp === undefined)
        throw new ProblemError(
          'invalid_signature',
          'Expected a Standard Webhooks signature with the secret of this webhook and a timestamp within 5 minutes',
        );
      if (!(await wakeUps.receive(tenantId, wakeUp)))
        throw new ProblemError('onboarding_gone', 'The onboarding has ended');
      reply.status(204);
      return null;
    },
  );
}

import type { FastifyInstance } from 'fastify';
import { signingSecretRef } from '../../onboarding/onboarding-ids.ts';
import { getIssued } from '../../store/issued-secret.ts';
import type { HttpDependencies } from '../app.ts';
import { createHints } from '../../client/notifications.ts';
import { Problem } from '../problems.ts';
import { verifyWebhook } from '../verify-webhook.ts';

/** Webhooks are under 20 KB by contract. */
const BODY_BYTES_MAX = 64_000;

/**
 * A webhook is a hint, the provider's GET is the truth: one that verifies only pokes the Workflow, which then asks.
 * Of a storm only a few do: see HintMerger. 204 taken; 401 not signed with the tenant's secret; 410 nobody waits any more, so the provider may stop.
 */
export function webhookRoutes(
  app: FastifyInstance,
  { onboardings, secrets }: Pick<HttpDependencies, 'onboardings' | 'secrets'>,
): void {
  const hints = createHints((tenantId, hint) => onboardings.poke(tenantId, hint));
  // After the last request was answered, and before the program lets go of Temporal.
  app.addHook('onClose', () => hints.close());

  // The signature is over the bytes as they came.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });

  app.post<{ Params: { tenantId: string } }>(
    '/webhooks/:tenantId',
    { bodyLimit: BODY_BYTES_MAX },
    async (request, reply) => {
      const { tenantId } = request.params;
      const issued = await getIssued(secrets, signingSecretRef(tenantId));
      // Not 410: the provider may be faster than our own storing of the secret, and must come again.
      if (issued === undefined) throw new Problem('invalid_signature', 'No secret of this tenant is stored (yet)');
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const event = verifyWebhook({ body, headers: request.headers, signingSecret: issued.secret });
      if (event === undefined)
        throw new Problem(
          'invalid_signature',
          'Expected a Standard Webhooks signature made with the secret of this webhook, not older than 5 minutes',
        );
      if (!(await hints.receive(tenantId, event))) throw new Problem('onboarding_gone', 'The onboarding has ended');
      return reply.status(204).send();
    },
  );
}

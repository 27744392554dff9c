import type { FastifyInstance } from 'fastify';
import { signingSecretRef } from '../../onboarding/onboarding-ids.ts';
import { getIssued } from '../../store/issued-secret.ts';
import type { HttpDependencies } from '../app.ts';
import { createNotifications } from '../../client/notifications.ts';
import { Problem } from '../problems.ts';
import { verifyWebhook } from '../verify-webhook.ts';

/** Webhooks are under 20 KB by contract. */
const BODY_BYTES_MAX = 64_000;

/**
 * A webhook is only a notification: the Workflow it wakes asks the provider. Of a storm only a few wake it, see
 * `createNotifications`. 204 accepted; 401 not signed with the tenant's secret; 410 the onboarding has ended, so the
 * provider may stop.
 */
export function webhookRoutes(
  app: FastifyInstance,
  { onboardings, secrets }: Pick<HttpDependencies, 'onboardings' | 'secrets'>,
): void {
  const notifications = createNotifications((tenantId, notification) => onboardings.notify(tenantId, notification));
  // Fastify calls it after the last response; the Temporal connection closes later.
  app.addHook('onClose', () => notifications.close());

  // The signature covers the raw bytes.
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
      const notification = verifyWebhook({ body, headers: request.headers, signingSecret: issued.secret });
      if (notification === undefined)
        throw new Problem(
          'invalid_signature',
          'Expected a Standard Webhooks signature made with the secret of this webhook, not older than 5 minutes',
        );
      if (!(await notifications.receive(tenantId, notification)))
        throw new Problem('onboarding_gone', 'The onboarding has ended');
      return reply.status(204).send();
    },
  );
}

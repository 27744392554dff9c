import { randomBytes } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { accountOf } from '../../auth/authentication.ts';
import { webhookUrlFault } from '../../webhooks/webhook-url-fault.ts';
import { faultAt, refuseIfAny } from '../../../lib/http/problem.ts';
import { newId } from '../../resources/resource-ids.ts';
import { problemResponses } from '../schemas/problem.ts';
import { oneLine } from '../schemas/request-fields.ts';
import { WebhookEvents, WebhookResource, webhookResource } from '../../resources/webhook.ts';
import { onceShown } from '../../resources/wire-types.ts';
import type { EmailServiceApp, ServiceParts } from '../service-parts.ts';
import { sealingContext } from '../../store/sealed-secrets.ts';
import { softDelete } from '../../store/soft-delete.ts';
import { insertWebhook } from '../../store/webhooks.ts';
import { deleteRoute } from './delete-route.ts';

/** Standard Webhooks requires 24 to 64; HMAC-SHA256 gains nothing beyond 32. */
const SIGNING_SECRET_BYTES = 32;

const WebhookRequest = Type.Object(
  {
    url: oneLine({ minLength: 1, maxLength: 2048, description: 'An https URL whose host has a public address.' }),
    events: WebhookEvents,
  },
  { additionalProperties: false },
);

const NewWebhook = Type.Object(
  { ...WebhookResource.properties, ...onceShown('signing_secret') },
  { description: 'The new webhook with its signing secret, which is not shown again.' },
);

export function webhookRoutes(app: EmailServiceApp, { store, sealer, settings, now, createOnce }: ServiceParts): void {
  app.post(
    '/webhooks',
    {
      config: { access: { scope: 'manage' } },
      schema: {
        operationId: 'createWebhook',
        summary: 'Post events to a URL, signed as in Standard Webhooks',
        body: WebhookRequest,
        response: { 201: NewWebhook, ...problemResponses('withBody') },
      },
    },
    (request, reply) =>
      createOnce<Static<typeof NewWebhook>>(request, reply, () => {
        const { url, events } = request.body;
        refuseIfAny(faultAt('/url', webhookUrlFault(url, settings)));
        const id = newId('whk');
        const signingSecret = `whsec_${randomBytes(SIGNING_SECRET_BYTES).toString('base64')}`;
        const row = {
          id,
          account_id: accountOf(request),
          url,
          events: JSON.stringify(events),
          sealed_signing_secret: sealer.seal(signingSecret, sealingContext.signingSecret(id)),
          created_at: now().toISOString(),
          disabled_at: null,
          deleted_at: null,
        };
        return {
          async create(transaction) {
            await insertWebhook(transaction, row);
            return { status: 201, body: webhookResource(row), secret: { signing_secret: signingSecret } };
          },
        };
      }),
  );

  deleteRoute(app, {
    path: '/webhooks/:id',
    schema: { operationId: 'deleteWebhook', summary: 'Stop posting events to a URL' },
    what: 'webhook',
    remove: (request, id) => softDelete(store, 'webhooks', { accountId: accountOf(request), id, now: now() }),
  });
}

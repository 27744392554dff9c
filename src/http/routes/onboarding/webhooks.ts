import { type Static, Type } from 'typebox';
import { OnboardingUnavailable } from '../../../client/onboarding/onboarding-unavailable.ts';
import { createWakeUps } from '../../../client/onboarding/wake-ups.ts';
import type { HttpApp } from '../../../lib/http/create-http-app.ts';
import { ProblemError } from '../../../lib/http/problem.ts';
import { signingSecretRef } from '../../../onboarding/onboarding-ids.ts';
import { isProviderName, type ProviderName } from '../../../onboarding/provider-name.ts';
import { getIssued } from '../../../store/issued-secret.ts';
import type { HttpDependencies } from '../../dependencies.ts';
import { TenantParams } from '../../schemas/onboarding.ts';
import { problemResponses } from '../../schemas/problem-responses.ts';
import { verifyWebhook } from '../../verify-webhook.ts';

/** Three times the 20 KB that the contract allows. */
const BODY_BYTES_MAX = 64_000;
/** Amazon SNS posts 256 KB, escaped once more. */
const PROVIDER_BODY_BYTES_MAX = 600_000;
/** Between two lines about events of no onboarding: a shared account may report millions of other emails. */
const UNKNOWN_LOGGED_EVERY_MS = 60_000;

const ProviderParams = Type.Object({ name: Type.String({ description: 'As in EMAIL_PROVIDER.' }) });

/**
 * A webhook is only a wake-up: it wakes the Workflow, which then asks the provider. 204: accepted. 401: not signed with
 * the tenant's secret. 410: the onboarding has ended, so the provider may stop. In a step it is accepted
 * without asking Temporal: if the execution is missing, the sweep reports it, and a 410 would end webhooks that it needs once it is back.
 *
 * Those of an operator's account are about all tenants. Its events are stored before they wake, because some providers report an outcome
 * nowhere else. What is about no onboarding is accepted, counted and forgotten.
 */
export function webhookReceiver(
  app: HttpApp,
  {
    onboardings,
    register,
    secrets,
    providerWebhooks,
  }: Pick<HttpDependencies, 'onboardings' | 'register' | 'secrets' | 'providerWebhooks'>,
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
      const webhook = { body: bytesOf(request.body), headers: request.headers };
      const wakeUp = verifyWebhook({ ...webhook, signingSecret: issued.secret });
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

  const countUnknown = createUnknownCount(app);
  app.post<{ Params: Static<typeof ProviderParams> }>(
    '/webhooks/provider/:name',
    {
      bodyLimit: PROVIDER_BODY_BYTES_MAX,
      schema: {
        operationId: 'receiveProviderWebhook',
        summary: "Receive a webhook of the operator's account at a provider, about any tenant",
        description: 'Authentic in the way of the provider (docs/providers.md). A repetition changes nothing.',
        security: [],
        params: ProviderParams,
        response: {
          204: Type.Null({ description: 'The webhook was received.' }),
          ...problemResponses('withoutBody', 'not_found', 'invalid_signature', 'payload_too_large'),
        },
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      const read = isProviderName(name) ? providerWebhooks.readers[name] : undefined;
      if (!isProviderName(name) || read === undefined)
        throw new ProblemError(
          'not_found',
          `This server receives no webhooks of ${JSON.stringify(name)}: its settings have no secret for them (docs/providers.md).`,
        );
      const events = await read({ body: bytesOf(request.body), headers: request.headers });
      if (events === undefined)
        throw new ProblemError(
          'invalid_signature',
          `Expected a message that ${name} has signed for this server, not older than it allows (docs/providers.md)`,
        );
      const known = await providerWebhooks.events.store(name, events);
      countUnknown(name, events.length - known.length);
      // After the commit, so that an end that is written meanwhile finds the event.
      for (const { tenantId, type } of known)
        if (type === 'bounced' || type === 'suppressed')
          await register.explainBounce(tenantId, new Date().toISOString());
      const waking = known.map(async ({ tenantId, eventId, type }) => {
        try {
          await wakeUps.receive(tenantId, { eventId, type });
        } catch (error) {
          // One tenant without its execution must not make the account's webhook fail.
          if (!(error instanceof OnboardingUnavailable)) throw error;
          request.log.warn({ tenantId, reason: error.message }, 'a webhook woke no onboarding');
        }
      });
      await Promise.all(waking);
      reply.status(204);
      return null;
    },
  );
}

const bytesOf = (body: unknown): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));

/** Counts events of no onboarding, and logs the count of each provider at most once a minute. */
function createUnknownCount({ log }: Pick<HttpApp, 'log'>): (provider: ProviderName, count: number) => void {
  const unlogged = new Map<ProviderName, { events: number; loggedAt: number }>();
  return (provider, count) => {
    const { events, loggedAt } = unlogged.get(provider) ?? { events: 0, loggedAt: -Infinity };
    const now = performance.now();
    const isLogged = events + count > 0 && now - loggedAt >= UNKNOWN_LOGGED_EVERY_MS;
    if (isLogged) log.info({ provider, events: events + count }, 'webhooks about no onboarding');
    unlogged.set(provider, isLogged ? { events: 0, loggedAt: now } : { events: events + count, loggedAt });
  };
}

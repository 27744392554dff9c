import type { FastifyBaseLogger } from 'fastify';
import type { ApiToken } from '../../lib/api-tokens.ts';
import { createHttpApp } from '../../lib/http/create-http-app.ts';
import { describeRoutes } from '../../lib/http/describe-routes.ts';
import { refuseTooManyFields } from '../../lib/http/refuse-too-many-fields.ts';
import { createAuthenticate, refuseWithoutAccess } from '../auth/authentication.ts';
import { generateDkimKeyPair } from '../domains/dkim-key-pair.ts';
import { createCreateOnce } from '../idempotency/idempotency.ts';
import { acceptJsonOnly } from './json-body.ts';
import { description } from './openapi.ts';
import { accountRoutes } from './routes/account-routes.ts';
import { apiKeyRoutes } from './routes/api-key-routes.ts';
import { domainRoutes } from './routes/domain-routes.ts';
import { emailRoutes } from './routes/email-routes.ts';
import { erasureRoutes } from './routes/erasure-routes.ts';
import { eventRoutes } from './routes/event-routes.ts';
import { healthRoutes } from './routes/health-routes.ts';
import { listRoutes } from './routes/list-routes.ts';
import { senderRoutes } from './routes/sender-routes.ts';
import { suppressionRoutes } from './routes/suppression-routes.ts';
import { waitingEmailRoutes } from './routes/waiting-email-routes.ts';
import { webhookRoutes } from './routes/webhook-routes.ts';
import { patternMeanings } from './schemas/request-fields.ts';
import type { EmailServiceApp, ServiceParts } from './service-parts.ts';

/** The name of an account has up to 200 characters, of which percent-encoding makes up to twelve each. */
const PARAM_LENGTH_MAX = 2_400;
/** POST /emails has a higher limit. */
const BODY_BYTES_MAX = 64 * 1024;
/** No object of a valid request has more than fifty fields. */
const FIELDS_MAX = 1_000;
const IDEMPOTENCY_WAIT_MS = 10_000;

export interface EmailServiceParts extends Omit<ServiceParts, 'authenticate' | 'createOnce' | 'generateDkimKey'> {
  /** The credentials that create accounts: several while one is being replaced. */
  readonly operatorTokens: readonly ApiToken[];
  readonly logger: FastifyBaseLogger;
  /** @default a new RSA-2048 key */
  readonly generateDkimKey?: ServiceParts['generateDkimKey'];
  /** How long a request waits for another request with its Idempotency-Key. @default 10 seconds */
  readonly idempotencyWaitMs?: number;
}

/** The email service's HTTP API, ready for `inject` or `listen`; closing it leaves the store open. */
export async function buildEmailService(parts: EmailServiceParts): Promise<EmailServiceApp> {
  const app = createHttpApp({
    logger: parts.logger,
    bodyLimit: BODY_BYTES_MAX,
    realm: 'email service',
    patternMeanings,
    maxParamLength: PARAM_LENGTH_MAX,
    loggedPath: withoutAddress,
  });
  app.decorateRequest('caller', null);
  acceptJsonOnly(app);
  app.addHook('preValidation', refuseTooManyFields(FIELDS_MAX));
  describeRoutes(app, description);
  registerRoutes(app, parts);
  await app.ready();
  return app;
}

/** The log must not have a person whom POST /erasures removes. */
const withoutAddress = (path: string): string => path.replace(/^(\/suppressions\/).+$/, '$1…');

/** The routes that need a credential are one group, so that no route can omit its check. */
function registerRoutes(app: EmailServiceApp, parts: EmailServiceParts): void {
  const authenticate = createAuthenticate(parts.store, parts.operatorTokens, parts.now);
  const routeParts: ServiceParts = {
    ...parts,
    authenticate,
    generateDkimKey: parts.generateDkimKey ?? generateDkimKeyPair,
    createOnce: createCreateOnce({ ...parts, waitMs: parts.idempotencyWaitMs ?? IDEMPOTENCY_WAIT_MS }),
  };
  app.register(async (anyone: EmailServiceApp) => {
    healthRoutes(anyone, routeParts);
  });
  app.register(async (authenticated: EmailServiceApp) => {
    authenticated.addHook('onRequest', async (request, reply) => {
      const caller = await authenticate(request);
      request.caller = caller;
      if (caller.kind === 'operator')
        request.log = reply.log = request.log.child({ operatorTokenName: caller.tokenName });
      refuseWithoutAccess(request);
    });
    for (const routes of [
      ...[apiKeyRoutes, accountRoutes, listRoutes, domainRoutes],
      ...[senderRoutes, emailRoutes, waitingEmailRoutes, webhookRoutes, eventRoutes, suppressionRoutes, erasureRoutes],
    ])
      routes(authenticated, routeParts);
  });
}

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyBaseLogger } from 'fastify';
import { hangUpWhenClosing } from '../../lib/http/hang-up-when-closing.ts';
import { httpLimits } from '../../lib/http/http-limits.ts';
import type { Sealer } from '../../lib/sealing.ts';
import { accountOf, createAuthenticate } from '../auth/authentication.ts';
import type { Background } from '../background/background-port.ts';
import { generateDkimKeyPair, type DkimKeyPair } from '../domains/dkim-key-pair.ts';
import { createCreateOnce } from '../idempotency/idempotency.ts';
import { newId } from '../resources/resource-ids.ts';
import { acceptJsonOnly } from './json-body.ts';
import { describeRoutes } from './openapi.ts';
import {
  replyBeforeRouting,
  replyToBrokenConnection,
  replyToUnknownExpectation,
  replyToUnknownRoute,
  replyWithError,
} from './problem-replies.ts';
import { refuseTooManyFields } from './refuse-too-many-fields.ts';
import { apiKeyRoutes } from './routes/api-key-routes.ts';
import { domainRoutes } from './routes/domain-routes.ts';
import { emailRoutes } from './routes/email-routes.ts';
import { eventRoutes } from './routes/event-routes.ts';
import { healthRoutes } from './routes/health-routes.ts';
import { listRoutes } from './routes/list-routes.ts';
import { senderRoutes } from './routes/sender-routes.ts';
import { webhookRoutes } from './routes/webhook-routes.ts';
import type { FindZones } from '../domains/sending-records.ts';
import type { EmailServiceApp, ServiceParts, ServiceSettings } from './service-parts.ts';
import type { Store } from '../store/open-store.ts';

/** Ample for everything but an email's content, which has a limit of its own. */
const BODY_BYTES_MAX = 64 * 1024;
const IDEMPOTENCY_WAIT_MS = 10_000;

export interface EmailServiceParts {
  readonly store: Store;
  readonly sealer: Sealer;
  readonly settings: ServiceSettings;
  readonly background: Background;
  /** The one credential that may open accounts. */
  readonly operatorToken: string;
  readonly findZones: FindZones;
  readonly now: () => Date;
  readonly logger: FastifyBaseLogger;
  /** @default a new RSA-2048 key */
  readonly generateDkimKey?: () => Promise<DkimKeyPair>;
  /** How long a request waits for another one with its Idempotency-Key. @default 10 seconds */
  readonly idempotencyWaitMs?: number;
}

/** The email service's HTTP API, ready for `inject` or `listen`; closing it leaves the store open. */
export async function buildEmailService(parts: EmailServiceParts): Promise<EmailServiceApp> {
  const app = newApp(parts.logger);
  app.setErrorHandler(replyWithError);
  app.setNotFoundHandler(replyToUnknownRoute);
  hangUpWhenClosing(app);
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.server.on('checkExpectation', replyToUnknownExpectation);
  acceptJsonOnly(app);
  app.addHook('preValidation', refuseTooManyFields);
  await describeRoutes(app);
  registerRoutes(app, parts);
  await app.ready();
  return app;
}

function newApp(logger: FastifyBaseLogger): EmailServiceApp {
  return fastify({
    loggerInstance: logger,
    bodyLimit: BODY_BYTES_MAX,
    ...httpLimits,
    // Never the caller's own: it goes into our logs.
    genReqId: () => newId('req'),
    // What comes in while closing is still answered; Fastify's own 503 has another form than our errors.
    return503OnClosing: false,
    frameworkErrors: replyBeforeRouting,
    clientErrorHandler: replyToBrokenConnection,
    // Strict: a field that is unknown or has another type is an error, and all of them are told at once.
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: true,
        verbose: true,
      },
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
}

/** Three groups by credential, so that a new route cannot forget to ask for one. */
function registerRoutes(app: EmailServiceApp, parts: EmailServiceParts): void {
  const authenticate = createAuthenticate(parts.store, parts.operatorToken);
  const routeParts: ServiceParts = {
    ...parts,
    generateDkimKey: parts.generateDkimKey ?? generateDkimKeyPair,
    createOnce: createCreateOnce({ ...parts, waitMs: parts.idempotencyWaitMs ?? IDEMPOTENCY_WAIT_MS }),
  };
  app.register(async (anyone: EmailServiceApp) => {
    healthRoutes(anyone, routeParts);
    anyone.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  });
  app.register(async (operatorOrAccount: EmailServiceApp) => {
    operatorOrAccount.addHook('onRequest', async (request) => {
      request.caller = await authenticate(request);
    });
    for (const routes of [apiKeyRoutes, listRoutes]) routes(operatorOrAccount, routeParts);
  });
  app.register(async (account: EmailServiceApp) => {
    account.addHook('onRequest', async (request) => {
      request.caller = await authenticate(request);
      accountOf(request);
    });
    for (const routes of [domainRoutes, senderRoutes, emailRoutes, webhookRoutes, eventRoutes])
      routes(account, routeParts);
  });
}
